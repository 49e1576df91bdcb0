// Updates the SVG paths of the icons in dashboard/parts/icons.tsx from the latest release of Tabler Icons. A new
// icon must first be added to this file with an empty path.

import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const ICONS = new URL('../dashboard/parts/icons.tsx', import.meta.url)
const LICENSE = new URL('../dashboard/parts/icons.license.txt', import.meta.url)

const directory = mkdtempSync(join(tmpdir(), 'postrider-icons-'))
try {
  writeFileSync(join(directory, 'package.json'), '{"private":true}')
  execFileSync('npm', ['install', '--ignore-scripts', '--no-audit', '--no-fund', '@tabler/icons@latest'], {
    cwd: directory,
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  const tabler = join(directory, 'node_modules/@tabler/icons')
  const drawn = readFileSync(ICONS, 'utf8').replaceAll(
    /^(export const Icon(\w+) = icon)\(.*\)$/gm,
    (_, before: string, name: string) => `${before}('${drawingOf(tabler, name)}')`,
  )
  writeFileSync(ICONS, drawn)
  writeFileSync(LICENSE, readFileSync(join(tabler, 'LICENSE')))
} finally {
  rmSync(directory, { recursive: true, force: true })
}

/** Returns the shapes of an icon as one SVG path. Throws if the icon does not exist, or has shapes other than paths. */
function drawingOf(tabler: string, name: string): string {
  const file = `${name.replaceAll(/\B[A-Z]/g, '-$&').toLowerCase()}.svg`
  const svg = readFileSync(join(tabler, 'icons/outline', file), 'utf8')
  // The first two tags are the `svg` element and the frame of the icon.
  const [, , ...shapes] = [...svg.matchAll(/<(\w+)[^>]*>/g)]
  return shapes
    .map(([shape, tag]) => {
      const [, path = ''] = /\sd="([^"]*)"/.exec(shape) ?? []
      if (tag === 'path' && path.startsWith('M')) return path
      throw new Error(`Icon${name}: ${shape} cannot be joined to one path`)
    })
    .join('')
}
