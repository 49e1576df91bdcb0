// Messages that Python's `email` package parses in one python3 process, if the machine has Python.

import { type ChildProcessWithoutNullStreams, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { createInterface, type Interface } from 'node:readline'

/** True if the machine has python3 3.9 or later: `email.policy.default` is the same in all these versions. */
export const hasPython = (): boolean =>
  spawnSync('python3', ['-c', 'import sys; sys.exit(sys.version_info < (3, 9))']).status === 0

/** Fields and parts of a message that Python has parsed. */
export interface PythonReading {
  /** Authors according to `email.policy.default`, and according to the older `email.utils.getaddresses`. */
  readonly from: readonly string[]
  readonly from_old: readonly string[]
  readonly to: readonly string[]
  readonly cc: readonly string[]
  readonly subject: string
  /** Media type, file name and SHA-256 of the decoded content of each leaf part. */
  readonly parts: readonly string[]
  /** True if Python ends the header at a line that is no field, so that the rest of the header is a part. */
  readonly ends_early: boolean
}

const PROGRAM = `
import base64, email, email.policy, email.utils, hashlib, json, sys
def addresses(message, name):
    try:
        found = message.get_all(name, [])
        return [a.addr_spec for field in found for a in field.addresses]
    except Exception as error:
        return ['unreadable: ' + type(error).__name__]
def leaves(message):
    parts = []
    for part in message.walk():
        if part.is_multipart(): continue
        payload = part.get_payload(decode=True) or b''
        text = payload.replace(b'\\r\\n', b'\\n').rstrip(b'\\n')
        try: name = part.get_filename()
        except Exception: name = 'unreadable'
        parts.append(' '.join([part.get_content_type(), str(name), hashlib.sha256(text).hexdigest()]))
    return parts
for line in sys.stdin:
    raw = base64.b64decode(line)
    new = email.message_from_bytes(raw, policy=email.policy.default)
    old = email.message_from_bytes(raw)
    try: subject = str(new.get('subject', ''))
    except Exception: subject = 'unreadable'
    clean = lambda text: text.encode('utf-8', 'surrogateescape').decode('utf-8', 'replace')
    print(json.dumps({
        'from': [clean(a) for a in addresses(new, 'from')],
        'from_old': [clean(str(a)) for _, a in email.utils.getaddresses([str(v) for v in old.get_all('from', [])])],
        'to': [clean(a) for a in addresses(new, 'to')],
        'cc': [clean(a) for a in addresses(new, 'cc')],
        'subject': clean(subject),
        'parts': [clean(p) for p in leaves(old)],
        'ends_early': any(type(d).__name__ == 'MissingHeaderBodySeparatorDefect' for d in old.defects),
    }), flush=True)
`

/** Sends messages to the Python process one after another. */
export class PythonReader {
  readonly #process: ChildProcessWithoutNullStreams
  readonly #lines: Interface
  readonly #answers: AsyncIterator<string>

  constructor() {
    this.#process = spawn('python3', ['-c', PROGRAM])
    this.#process.stderr.pipe(process.stderr)
    this.#lines = createInterface({ input: this.#process.stdout })
    this.#answers = this.#lines[Symbol.asyncIterator]()
  }

  async read(raw: Buffer): Promise<PythonReading> {
    this.#process.stdin.write(`${raw.toString('base64')}\n`)
    const { value, done } = await this.#answers.next()
    if (done) throw new Error('python3 has ended')
    return JSON.parse(value) as PythonReading
  }

  /** Ends the Python process. */
  async close(): Promise<void> {
    const ended = once(this.#process, 'close')
    this.#process.stdin.end()
    await ended
    this.#lines.close()
  }
}
