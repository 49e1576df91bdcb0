// The pages of the docs that are made from the tables of settings and commands.

import { settingsAsMarkdown } from '../config/load.ts'
import { COMMANDS } from './commands.ts'
import { commandsAsMarkdown } from './help.ts'

/** A page, by its path from the root of the repository. */
export interface Page {
  readonly path: string
  text(): string
}

const MADE = '<!-- Made by `npm run docs`; change the table in the source instead. -->'

export const PAGES: readonly Page[] = [
  { path: 'docs/config.md', text: configPage },
  { path: 'docs/command-line.md', text: commandLinePage },
]

function configPage(): string {
  return [
    MADE,
    '',
    '# Settings',
    '',
    'Settings are environment variables. They are read once, at the start; a setting that is empty counts as absent. An unknown `POSTRIDER_…` name or a value of the wrong type stops the start with a message that names it.',
    '',
    'The same names can stand in a file that `POSTRIDER_CONFIG` names, one `NAME=value` a line, with `#` before comments and quotes around values that need them. Without `POSTRIDER_CONFIG` it is the file beside the data directory, with `.env` behind its name: `data.env` by `data`, `/var/lib/postrider.env` by `/var/lib/postrider`; so a shell in which nothing was exported works on the same store as the service. Environment variables win over the file:',
    '',
    '    # /etc/postrider.env, used with POSTRIDER_CONFIG=/etc/postrider.env',
    '    POSTRIDER_MODE=production',
    '    POSTRIDER_HOSTNAME=mail.example.com',
    '    POSTRIDER_DATA_DIR=/var/lib/postrider',
    '',
    'How values are written:',
    '',
    '- a **duration** is a whole number with a unit: `30s`, `5m`, `2h`, `7d`',
    '- a **rate** is a whole number in a unit of time: `50/s`, `20/m`, `1000/h`, `10000/d`',
    '- a **list** has commas between its parts: `1m,5m,15m`',
    '- **host:port** names an IP address, IPv6 in brackets: `127.0.0.1:53`, `[::1]:53`',
    '- a **CIDR** is a network: `10.0.0.0/8`, `fd00::/8`',
    '',
    settingsAsMarkdown(),
  ].join('\n')
}

function commandLinePage(): string {
  return [
    MADE,
    '',
    '# The command line',
    '',
    '`bin/postrider COMMAND` works on the same settings and the same store as the service, while it runs or not; what a command changes takes effect at once, on every node.',
    '',
    '- `--json`: standard output is exactly one JSON document, in the shapes of the API. A refusal is `{ "error": { "code", "detail", "errors" } }`. Lists are `{ "data": [...] }`, times RFC 3339 in UTC.',
    '- `--help` after a command, or `help COMMAND`, shows how it is used.',
    '- Exit codes: 0 done; 1 refused or failed; 2 the command line was not understood, or the store was made in the other mode.',
    '',
    commandsAsMarkdown(COMMANDS),
    '',
  ].join('\n')
}
