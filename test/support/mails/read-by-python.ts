// Messages that Python's `email` package parses, if the machine has Python.

import { spawnSync } from 'node:child_process'

const PROGRAM = `
import email, email.policy, hashlib, json, sys, base64
answers = []
for line in sys.stdin:
    mail = email.message_from_bytes(base64.b64decode(line), policy=email.policy.default)
    parts = []
    for part in mail.walk():
        if part.is_multipart():
            parts.append([part.get_content_type()])
            continue
        shown = part.get_content_maintype() == 'text' and part.get_filename() is None
        content = part.get_payload(decode=True)
        if shown:
            try: content = ' '.join(content.decode(part.get_content_charset('utf-8'), 'replace').split())
            except LookupError: content = repr(content)
        else: content = hashlib.sha256(content).hexdigest()
        parts.append([part.get_content_type(), part.get_filename(), part['Content-ID'], content, shown])
    fields = [[name, ' '.join(str(value).split())] for name, value in mail.items()
              if name.lower() in ('from', 'to', 'cc', 'subject', 'message-id', 'date', 'references', 'reply-to', 'x-own')]
    answers.append([fields, parts])
json.dump(answers, sys.stdout)
`

/**
 * Header fields and parts of a message; a part has its type, file name, Content-ID, text or hash, and a flag that is
 * true for a displayed text.
 */
export type PythonMail = readonly [
  fields: readonly (readonly [name: string, value: string])[],
  parts: readonly (readonly [
    type: string,
    name?: string | null,
    id?: string | null,
    content?: string,
    shown?: boolean,
  ])[],
]

/** Returns the parsed messages; undefined if Python is not installed. */
export function readByPython(mails: readonly Buffer[]): PythonMail[] | undefined {
  const input = mails.map((mail) => `${mail.toString('base64')}\n`).join('')
  const { status, stdout, error } = spawnSync('python3', ['-c', PROGRAM], { input, maxBuffer: 1 << 28 })
  if (error !== undefined) return undefined
  if (status !== 0) throw new Error('Python could not read a mail')
  return JSON.parse(stdout.toString())
}
