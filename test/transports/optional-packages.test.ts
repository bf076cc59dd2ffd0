import { writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { expect, it } from "vitest";
import { Fault } from "../../src/base/errors.js";
import { hasPackages, installCommand, withPackages } from "../../transports/optional-packages.js";
import { temporaryDirectory } from "../support/temporary-directory.js";

const require = createRequire(import.meta.url);

it("hands over what was loaded, and any error but that of a missing package", async () => {
  expect(await withPackages("grpc", async () => 7)).toBe(7);
  const broken = new Error("The module is broken.");
  await expect(withPackages("grpc", () => Promise.reject(broken))).rejects.toBe(broken);
});

it("a missing package is a fault of use, with the command in one sentence", async () => {
  const load = async (): Promise<unknown> => require("a-package-that-is-not-here");
  const caught = await withPackages("grpc", load).catch((error: unknown) => error);
  expect(caught).toBeInstanceOf(Fault);
  expect(caught).toMatchObject({
    code: "usage",
    sentence: `Packages of gRPC are missing, so install them: ${installCommand(["grpc"])}`,
    cause: { code: "MODULE_NOT_FOUND" },
  });
});

it("names every group in one command, each package once, and installs globally beside a global aaepd", () => {
  const global = join(temporaryDirectory(), "lib", "node_modules", "aaepd");
  expect(installCommand(["http"], join(global, "../@aaepd/conformance"))).toMatch(/^npm install --global "/);
  const command = installCommand(["grpc", "http"], global);
  expect(command).toMatch(/^npm install --global "@bufbuild\/protobuf@[^"]+" "@grpc\/grpc-js@/);
  expect(command).toContain('"@connectrpc/connect@');
  expect(command.match(/@bufbuild\/protobuf/g)).toHaveLength(1);
  const project = temporaryDirectory();
  writeFileSync(join(project, "package.json"), "{}");
  for (const folder of [project, join(project, "node_modules", "aaepd")])
    expect(installCommand(["grpc"], folder)).toMatch(/^npm install "/);
});

it("knows what is installed here", () => {
  expect([hasPackages("grpc"), hasPackages("http")]).toEqual([true, true]);
});
