// Writes sdk/mcp/dist: the program as one file, which contains its dependencies, and the licenses of the dependencies.

import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { rolldown } from 'rolldown'
import { licensesOf } from './licenses.ts'

const SOURCE = join(import.meta.dirname, '../sdk/mcp')
const [, , TARGET = join(SOURCE, 'dist')] = process.argv

await rm(TARGET, { recursive: true, force: true })
const bundle = await rolldown({ input: join(SOURCE, 'src/main.ts'), platform: 'node' })
const { output } = await bundle.write({ file: join(TARGET, 'main.js'), codeSplitting: false, minify: false })
await bundle.close()
const modules = output.flatMap((one) => (one.type === 'chunk' ? one.moduleIds : []))
await writeFile(join(TARGET, 'licenses.txt'), await licensesOf(modules))
