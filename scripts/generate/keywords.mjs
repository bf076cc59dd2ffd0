// Our own code for some JSON Schema keywords: fewer instructions on the path of every event.
import { _, Name, nil } from "ajv";
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

/** Replaces Ajv's code of a keyword. `failing` makes the condition under which a value breaks it. */
function replace(ajv, keyword, type, schemaType, failing) {
  ajv.removeKeyword(keyword);
  ajv.addKeyword({
    keyword,
    ...(type === undefined ? {} : { type }),
    // Behind the tuple keywords the keyword would be skipped for an empty list, because their code then leaves its verdict unset.
    ...(type === "array" ? { before: "additionalItems" } : {}),
    schemaType,
    error: { message: "", params: _`{}` },
    code: (context) => context.fail(failing(context)),
  });
}

/** The names of a closed object, and the values of its language variants in the same pass. */
function addClosedFields(ajv) {
  ajv.addKeyword({
    keyword: "closedFields",
    type: "object",
    schemaType: "object",
    trackErrors: true,
    error: { message: "", params: _`{}` },
    code: (context) => {
      const { gen, data, schema, errsCount } = context;
      gen.forIn("key", data, (key) => {
        const known = or(nil, ...schema.known.map((name) => _`${key} === ${name}`));
        const variants = schema.variants.map(({ pattern, maxLength }) => {
          const regExp = gen.scopeValue("pattern", {
            key: pattern,
            ref: new RegExp(pattern),
            code: _`new RegExp(${pattern})`,
          });
          const value = _`${data}[${key}]`;
          return _`(${regExp}.test(${key}) && typeof ${value} === "string" && ${value}.length > 0 && !${longerThan}(${value}, ${maxLength}))`;
        });
        gen.if(_`!(${or(known, ...variants)})`, () => {
          context.error();
          gen.break();
        });
      });
      context.ok(_`${errsCount} === ${new Name("errors")}`);
    },
  });
}

/** The title of a schema whose function the same file has. */
function addPart(ajv) {
  ajv.addKeyword({
    keyword: "part",
    schemaType: "string",
    error: { message: "", params: _`{}` },
    code: (context) => context.fail(_`!${new Name(`is${context.schema}`)}(${context.data})`),
  });
}

/** Installs all keywords. */
export function installKeywords(ajv) {
  replace(ajv, "minimum", "number", "number", ({ data, schema }) => _`${data} < ${schema}`);
  replace(ajv, "maximum", "number", "number", ({ data, schema }) => _`${data} > ${schema}`);
  replace(ajv, "minLength", "string", "number", ({ data, schema }) => {
    if (schema !== 1) throw new Error("minLength other than 1 would have to count code points");
    return _`${data}.length < 1`;
  });
  replace(ajv, "maxLength", "string", "number", ({ data, schema }) => _`${longerThan}(${data}, ${schema})`);
  replace(ajv, "minItems", "array", "number", ({ data, schema }) => _`${data}.length < ${schema}`);
  replace(ajv, "maxItems", "array", "number", ({ data, schema }) => _`${data}.length > ${schema}`);
  replace(ajv, "pattern", "string", "string", ({ gen, data, schema }) => {
    const regExp = gen.scopeValue("pattern", { key: schema, ref: new RegExp(schema), code: _`new RegExp(${schema})` });
    return _`!${regExp}.test(${data})`;
  });
  replace(ajv, "enum", undefined, "array", ({ data, schema }) => {
    return _`!(${or(nil, ...schema.map((value) => _`${data} === ${value}`))})`;
  });
  replace(ajv, "const", undefined, ["string"], ({ data, schema }) => _`${data} !== ${schema}`);
  addClosedFields(ajv);
  addPart(ajv);
}
