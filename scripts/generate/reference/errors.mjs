import { code, heading, link, list, page, paragraph, table } from "./markdown.mjs";
import { placeOf, ruleLinks } from "./rule-links.mjs";

/** docs/reference/errors.md: an entry for each code of the closed list. */
export function errorsPage(tables) {
  const { FAULT_CODES, FAULT_GUIDE, Fault, rpcErrorFromFault, ruleOf, httpStatusOf, STATUS, STATUS_OF } = tables;
  const statusName = (name) => Object.keys(STATUS).find((status) => STATUS[status] === STATUS_OF[name]);
  const numbersOf = (name) => ({
    rpc: String(rpcErrorFromFault(new Fault(name, "")).code).replace("-", "−"),
    status: `${code(statusName(name))} (${STATUS_OF[name]})`,
    http: String(httpStatusOf(name)),
    exit: tables.exitCodeFromFault(new Fault(name, "")),
    startExit: tables.startExitCode(new Fault(name, "")),
  });
  const entries = FAULT_CODES.flatMap((name) => {
    const { rpc, status, http, exit, startExit } = numbersOf(name);
    const rule = ruleOf({ code: name });
    const place = placeOf(rule);
    const { happened, remedy } = FAULT_GUIDE[name];
    return [
      heading(2, name),
      paragraph(happened),
      paragraph(`**To do:** ${remedy}`),
      list([
        `Rule, unless the error names another: ${ruleLinks(rule, tables)}.${place === undefined ? "" : ` Specification: ${place}.`}`,
        `JSON-RPC: ${rpc}. gRPC and Connect: ${status}. HTTP: ${http}.`,
        exit === startExit
          ? `Exit code of a command that ends with it: ${exit}.`
          : `Exit code of a client that ends with it: ${exit}. Exit code of a daemon that cannot start because of it: ${startExit}.`,
      ]),
    ];
  });
  return page([
    heading(1, "Errors"),
    paragraph(
      "An error has a *code*, a sentence that says what to do, a JSON pointer to the member at fault, and a [rule](rules.md). The list of codes is closed, and no code changes its meaning. Programs decide by the code alone.",
    ),
    list([
      "On a plain connection an error is the message [aaepd.error](messages.md#aaepderror).",
      "Over JSON-RPC it is an error answer. `data` has `code`, `pointer` and `rule`, and if they are known `event_id` and `retry_after_seconds`.",
      "Over gRPC and Connect it is a status with an `AaepdError` as its detail ([services](../services.md#errors)).",
      "Commands print the sentence, then the code and the rule in brackets. [Exit codes](../exit-codes.md) has the codes of daemons.",
    ]),
    paragraph(
      "`aaepd validate --json`, `aaepd publish --json` and `aaepd status --json` give each error a list `help`: the addresses of its entries on this page and on [rules](rules.md), as `file:` addresses in the installed package. `--verbose` of `validate`, `publish` and `tail` prints the same addresses for people, each once. Errors between programs have no such member, because a peer may have no access to these files.",
    ),
    table(
      ["code", "JSON-RPC", "gRPC and Connect", "HTTP"],
      FAULT_CODES.map((name) => {
        const { rpc, status, http } = numbersOf(name);
        return [link(name), rpc, status, http];
      }),
    ),
    ...entries,
  ]);
}
