// examples/emacs/aaepd.el in a real Emacs: what it shows of a session, and what an answer of it does.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { eventually, SESSIONS, serve } from "../cli/command-stage.js";
import { isMissing } from "../support/missing-tool.js";
import { PROGRAM, startCommand, startProgram } from "../support/peers/program.js";
import { temporaryDirectory } from "../support/temporary-directory.js";

const ELISP = fileURLToPath(new URL("../../examples/emacs/aaepd.el", import.meta.url));

it.skipIf(isMissing("emacs"))(
  "Emacs shows what an agent says and asks, and answers",
  async () => {
    const { environment, socketPath } = await serve(temporaryDirectory());
    const script = join(temporaryDirectory(), "person.el");
    const argv = [process.execPath, PROGRAM, "tail", "--json", "--interactive", "--socket", socketPath];
    writeFileSync(
      script,
      `(setq aaepd-command '(${argv.map((one) => JSON.stringify(one)).join(" ")}))
     (defun shown (text) (with-current-buffer (get-buffer-create "*aaepd*") (goto-char (point-min)) (search-forward text nil t)))
     (defun await (text) (while (not (shown text)) (accept-process-output nil 0.1)))
     (aaepd-listen)
     (await "h explains.")
     (sleep-for 1.1)
     (aaepd-answer "c1")
     (await "Question 1 has ended")
     (condition-case told (aaepd-listen) (user-error (message "%s" (cadr told))))
     (delete-process "aaepd")
     (accept-process-output nil 0.1)
     (condition-case told (aaepd-answer "yes") (user-error (message "%s" (cadr told))))`,
    );
    // Byte-compiled too, which warns of what is not known.
    const compiled = `(progn (require 'bytecomp) (let ((byte-compile-error-on-warn t) (byte-compile-dest-file-function (lambda (_) ${JSON.stringify(`${script}c`)}))) (byte-compile-file ${JSON.stringify(ELISP)})))`;
    const emacs = startCommand(["emacs", "--batch", "-Q", "--eval", compiled, "-l", ELISP, "-l", script], {
      environment,
    });
    await eventually(() => expect(emacs.stderr()).toContain("Connected to aaepd"));
    startProgram(["publish", "--realtime", join(SESSIONS, "retirement-planner.ndjson")], { environment });
    expect([(await emacs.ended).code, emacs.stdout()]).toEqual([0, ""]);
    const told = emacs.stderr().split("\n");
    expect(told).toContain("Retirement Planner: Waiting for the age at which you want to retire.");
    expect(told.filter((line) => line.includes("At what age do you want to retire?"))).toEqual([
      "· Question 1 of Retirement Planner: At what age do you want to retire?",
    ]);
    expect(told).toContain("· Sent: At 62, as early as possible.");
    expect(told).toContain("aaepd is heard already");
    expect(told).toContain("Nothing is heard. M-x aaepd-listen");
  },
  120_000,
);
