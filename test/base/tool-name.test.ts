import { describe, expect, it } from "vitest";
import { foldedName, toolNameOf } from "../../src/base/tool-name.js";

describe("a folded name", () => {
  it.each([
    "Delete_File",
    "delete_file ",
    "\tdelete file",
    "/delete_file",
    "./delete-file",
    "deleteFile",
    "ＤＥＬＥＴＥ＿ＦＩＬＥ",
    "dele\u200bte_file\u2060",
    "delete\u00ad_ﬁle",
    "de\u0301lete_file",
    "delete_file\u{e0041}",
  ])("is that of delete_file: %j", (name) => expect(foldedName(name)).toBe(foldedName("delete_file")));

  it.each([
    ["ΔΙΑΓΡΑΦΗΣ", "διαγραφης"],
    ["straße", "STRASSE"],
    ["İptal", "iptal"],
    ["удалить_файл", "Удалить файл"],
  ])("is the same in other scripts: %s, %s", (one, other) => expect(foldedName(one)).toBe(foldedName(other)));

  it("is no work for a name that is too long to be a tool's", () => {
    const long = "A_".repeat(200);
    expect(foldedName(long)).toBe(long);
  });

  it("keeps letters and digits apart, and names without any as they are", () => {
    const names = ["delete_file", "delete_files", "delete_file2", "undelete_file", "файл", "🗑", "", "-", "."];
    expect(new Set(names.map(foldedName)).size).toBe(names.length);
  });
});

it("a tool's name in an event begins with a letter or underscore", () => {
  expect(["a/b c", "2do", ""].map(toolNameOf)).toEqual(["a.b_c", "_2do", "_"]);
});
