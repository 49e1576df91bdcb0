// `npm run sdk` writes the generated files of sdk/ from docs/openapi.json.

import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { SDK_FILES } from './sdk-files.ts'

for (const [path, textOf] of Object.entries(SDK_FILES)) {
  const file = join(import.meta.dirname, '..', path)
  await mkdir(dirname(file), { recursive: true })
  await writeFile(file, await textOf())
}
