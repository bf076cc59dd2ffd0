;;; aaepd.el --- What agents do and ask, in Emacs -*- lexical-binding: t -*-
;; Load this file, then M-x aaepd-listen. Each line goes to the buffer *aaepd* and to the echo area, which Emacspeak speaks.
;; M-x aaepd-answer answers the question that is asked: yes, no, c2, or what its last line names.

(require 'json)
(require 'let-alist)
(require 'subr-x)

(defvar aaepd-command '("aaepd" "tail" "--json" "--interactive" "--wpm" "180")
  "The listener. Further arguments are options of `aaepd tail', such as --from.")

(defvar aaepd--process nil)

(defun aaepd--say (line)
  "Add LINE to the buffer, whose point stays, and show it in the echo area."
  (with-current-buffer (get-buffer-create "*aaepd*")
    (save-excursion
      (goto-char (point-max))
      (insert line "\n")))
  (message "%s" line))

(defun aaepd--event (line)
  "Say the words of the event in LINE.  Standard error has questions and outcomes."
  (when (string-prefix-p "{" line)
    (let-alist (json-parse-string line :object-type 'alist :null-object nil :false-object nil)
      (let ((words (string-trim (or .chunk .summary_normal .summary_terse .summary_detailed ""))))
        (unless (or (string-prefix-p "aaep:agent.awaiting." .type) .extensions.aaepd.decision (string-empty-p words))
          (aaepd--say (format "%s: %s" (or .producer.agent_name .producer.agent_id "An agent") words)))))))

(defun aaepd--lines (take)
  "Return the filter of a process that calls TAKE with each whole line."
  (let ((rest ""))
    (lambda (_process text)
      (let ((lines (split-string (concat rest text) "\r?\n")))
        (setq rest (car (last lines)))
        (mapc take (butlast lines))))))

(defun aaepd-listen ()
  "Hear the daemons of this user."
  (interactive)
  (when (process-live-p aaepd--process) (user-error "aaepd is heard already"))
  (setq aaepd--process
        ;; A terminal, for which an answer in the first second of a question is not sent.
        (make-process :name "aaepd" :command aaepd-command :connection-type 'pty :coding 'utf-8 :noquery t
                      :filter (aaepd--lines #'aaepd--event)
                      :stderr (make-pipe-process :name "aaepd questions" :coding 'utf-8 :noquery t :sentinel #'ignore
                                                 :filter (aaepd--lines #'aaepd--say))
                      :sentinel (lambda (_process change) (aaepd--say (concat "aaepd tail: " (string-trim change)))))))

(defun aaepd-answer (line)
  "Send LINE to the question that is asked."
  (interactive "sAnswer: ")
  (unless (process-live-p aaepd--process) (user-error "Nothing is heard. M-x aaepd-listen"))
  (process-send-string aaepd--process (concat line "\n")))

(provide 'aaepd)
;;; aaepd.el ends here
