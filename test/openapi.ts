// `npm run openapi` writes docs/openapi.json, and prints the changes that break clients of the committed document.

import { readFile, writeFile } from 'node:fs/promises'
import { breaksOf, type OpenApi } from './support/openapi-breaks.ts'
import { makeOpenApi, OPENAPI_FILE } from './support/openapi-document.ts'
import { runTool } from './support/tool.ts'

await runTool('npm run openapi\n\n  Writes docs/openapi.json from the routes of the API.', async () => {
  const text = await makeOpenApi()
  const before = await readFile(OPENAPI_FILE, 'utf8').catch(() => undefined)
  await writeFile(OPENAPI_FILE, text)
  if (before === undefined) return 0
  const broken = breaksOf(JSON.parse(before) as OpenApi, JSON.parse(text) as OpenApi)
  for (const sentence of broken) console.log(`breaks clients: ${sentence}`)
  return 0
})
