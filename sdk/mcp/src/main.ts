#!/usr/bin/env node
// The command postrider-mcp: an MCP server on standard input and output.

import { parseArgs } from 'node:util'
import { serveStdio } from '@modelcontextprotocol/server/stdio'
import { serverFactory } from './server.ts'
import { ALLOWABLE, type Allowable } from './tool.ts'

const USAGE = `Usage: postrider-mcp [--allow NAME,…] [--content]

An MCP server with the rights of an API key. The environment has the address of the service and the key:

  POSTRIDER_URL   such as https://mail.example.com
  POSTRIDER_KEY   a key with the scopes that the tools need, best with reads only

  --allow NAME,…  also offer tools that change something: ${ALLOWABLE.join(', ')};
                  send needs a key with a list of permitted recipients
  --admin-url URL the address of the admin listener, for queue_state; POSTRIDER_URL when left out
  --content       show the content of mail; cannot be combined with --allow send
`

/** Ends the command because of its arguments or its environment. */
function refuse(message: string): never {
  process.stderr.write(`postrider-mcp: ${message}\n\n${USAGE}`)
  process.exit(2)
}

function optionsOf(words: readonly string[]) {
  try {
    const { values } = parseArgs({
      args: [...words],
      options: {
        allow: { type: 'string', multiple: true },
        'admin-url': { type: 'string' },
        content: { type: 'boolean' },
        help: { type: 'boolean' },
      },
    })
    return values
  } catch (error) {
    return refuse(error instanceof Error ? error.message : String(error))
  }
}

const given = optionsOf(process.argv.slice(2))
const { allow: allowed = [], 'admin-url': adminUrl, content = false, help = false } = given
if (help) {
  process.stdout.write(USAGE)
  process.exit(0)
}
const allow = allowed.flatMap((one) => one.split(',')).filter((one) => one !== '')
const unknown = allow.find((one) => !ALLOWABLE.includes(one as Allowable))
if (unknown !== undefined) refuse(`--allow ${unknown} does not exist.`)
// Private data, text of strangers and a way out together would let a mail make the agent send the data away.
if (content && allow.includes('send')) refuse('--content and --allow send cannot be combined.')
const { POSTRIDER_URL: url = '', POSTRIDER_KEY: key = '' } = process.env
if (url === '' || key === '') refuse('POSTRIDER_URL and POSTRIDER_KEY are missing.')

try {
  serveStdio(await serverFactory({ url, key, adminUrl, allow: allow as Allowable[], content }), {
    onerror: (error) => process.stderr.write(`postrider-mcp: ${error.message}\n`),
  })
} catch (error) {
  process.stderr.write(`postrider-mcp: ${error instanceof Error ? error.message : String(error)}\n`)
  process.exitCode = 1
}
