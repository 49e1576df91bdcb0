// The licenses of the packages that a bundle contains.

import { glob, readFile } from 'node:fs/promises'
import { join } from 'node:path'

/** Returns the licenses of the packages that contain these modules, with the license text of each package. */
export async function licensesOf(modules: readonly string[]): Promise<string> {
  const folders = new Set(
    modules.flatMap((id) => /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+/.exec(id.replace(/^\0/, ''))?.[0] ?? []),
  )
  const texts = await Promise.all(
    [...folders].sort().map(async (folder) => {
      const { name, version, license } = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8'))
      if (typeof license !== 'string') throw new Error(`${name} names no license`)
      const [file] = await Array.fromAsync(glob('{LICEN[CS]E,licen[cs]e,COPYING}*', { cwd: folder }))
      const notice = file === undefined ? '' : `\n${(await readFile(join(folder, file), 'utf8')).trim()}\n`
      return `${name} ${version}: ${license}\n${notice}`
    }),
  )
  return texts.join(`\n${'-'.repeat(80)}\n\n`)
}
