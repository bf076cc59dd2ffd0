// Our own code for some JSON Schema keywords, for two reasons: fewer instructions on the path of every event, and errors that know both ends of a
// range and the expected form in words.
import { _, Name, nil, stringify } from "ajv";
import { or } from "ajv/dist/compile/codegen/index.js";

/** Code that the generated code needs at run time; copied to the head of the file. */
export const RUNTIME_HELPERS = `
/** Whether \`text\` has more than \`limit\` code points. Most texts are settled by their length in UTF-16 units. */
function longerThan(text, limit) {
  if (text.length <= limit) return false;
  if (text.length > 2 * limit) return true;
  let count = text.length;
  for (let index = 0; index < text.length - 1; index++) {
    if ((text.charCodeAt(index) & 0xfc00) === 0xd800 && (text.charCodeAt(index + 1) & 0xfc00) === 0xdc00) {
      count--;
      index++;
    }
  }
  return count > limit;
}
`;
const longerThan = new Name("longerThan");

/** Adds a keyword whose errors carry the members of the schema named in `told`. */
function replace(ajv, keyword, type, schemaType, told, failing) {
  ajv.removeKeyword(keyword);
  ajv.addKeyword({
    keyword,
    ...(type === undefined ? {} : { type }),
    // Behind the tuple keywords the keyword would be skipped for an empty list, because their code then leaves its verdict unset.
    ...(type === "array" ? { before: "additionalItems" } : {}),
    schemaType,
    error: {
      message: "",
      params: ({ parentSchema }) => {
        const params = {};
        for (const name of told) if (parentSchema[name] !== undefined) params[name] = parentSchema[name];
        if (params.description !== undefined) params.description = parentSchema.form ?? params.description;
        return stringify(params);
      },
    },
    code: (context) => context.fail(failing(context)),
  });
}

/** `values`: whether the validator also checks the values of language variants, in the same pass as the names. */
function addClosedFields(ajv, values) {
  ajv.addKeyword({
    keyword: "closedFields",
    type: "object",
    schemaType: "object",
    trackErrors: true,
    error: { message: "", params: ({ params }) => _`{additionalProperty: ${params.key}}` },
    code: (context) => {
      const { gen, data, schema, errsCount, it } = context;
      gen.forIn("key", data, (key) => {
        const known = or(nil, ...schema.known.map((name) => _`${key} === ${name}`));
        const variants = schema.variants.map(({ pattern, maxLength }) => {
          const regExp = gen.scopeValue("pattern", {
            key: pattern,
            ref: new RegExp(pattern),
            code: _`new RegExp(${pattern})`,
          });
          const value = _`${data}[${key}]`;
          const form = _`${regExp}.test(${key})`;
          if (!values) return form;
          return _`(${form} && typeof ${value} === "string" && ${value}.length > 0 && !${longerThan}(${value}, ${maxLength}))`;
        });
        gen.if(_`!(${or(known, ...variants)})`, () => {
          context.setParams({ key });
          context.error();
          if (!it.allErrors) gen.break();
        });
      });
      context.ok(_`${errsCount} === ${new Name("errors")}`);
    },
  });
}

/** Installs all keywords. */
export function installKeywords(ajv, { variantValues }) {
  const range = ["minimum", "maximum"];
  replace(ajv, "minimum", "number", "number", range, ({ data, schema }) => _`${data} < ${schema}`);
  replace(ajv, "maximum", "number", "number", range, ({ data, schema }) => _`${data} > ${schema}`);
  const length = ["minLength", "maxLength"];
  replace(ajv, "minLength", "string", "number", length, ({ data, schema }) => {
    if (schema !== 1) throw new Error("minLength other than 1 would have to count code points");
    return _`${data}.length < 1`;
  });
  replace(ajv, "maxLength", "string", "number", length, ({ data, schema }) => _`${longerThan}(${data}, ${schema})`);
  const items = ["minItems", "maxItems"];
  replace(ajv, "minItems", "array", "number", items, ({ data, schema }) => _`${data}.length < ${schema}`);
  replace(ajv, "maxItems", "array", "number", items, ({ data, schema }) => _`${data}.length > ${schema}`);
  replace(ajv, "pattern", "string", "string", ["pattern", "description"], ({ gen, data, schema }) => {
    const regExp = gen.scopeValue("pattern", { key: schema, ref: new RegExp(schema), code: _`new RegExp(${schema})` });
    return _`!${regExp}.test(${data})`;
  });
  replace(ajv, "enum", undefined, "array", ["enum"], ({ data, schema }) => {
    return _`!(${or(nil, ...schema.map((value) => _`${data} === ${value}`))})`;
  });
  replace(ajv, "const", undefined, ["string"], ["const"], ({ data, schema }) => _`${data} !== ${schema}`);
  addClosedFields(ajv, variantValues);
}
