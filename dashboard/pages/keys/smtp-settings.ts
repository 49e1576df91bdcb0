// Settings of an SMTP credential as text, for a program with a settings form.

import { keys } from '../../texts/en/keys.ts'
import type { Snippet } from './http-snippets.ts'
import type { SmtpAccess } from './smtp-snippets.ts'

/** Returns the settings in the language of the user, one per line. */
export function smtpSettings({ host, port, username, password, self_signed }: SmtpAccess): Snippet {
  const words = keys.smtp
  const lines: readonly (readonly [name: string, value: string])[] = [
    [words.host, host],
    [words.port, String(port)],
    [words.encryption, 'STARTTLS'],
    [words.userName, username],
    [words.password, password],
    ...(self_signed ? ([[words.certificate, words.letAccept]] as const) : []),
  ]
  const width = Math.max(...lines.map(([name]) => name.length)) + 2
  return { name: words.settings, code: lines.map(([name, value]) => name.padEnd(width) + value).join('\n') }
}
