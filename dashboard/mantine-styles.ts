// Styles of each component with the component: a page loads those of what it shows.

import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { Plugin } from 'vite'

const STYLES = new URL('../node_modules/@mantine/core/styles/', import.meta.url)

/** The module with a component's class names, beside which its styles are not imported by the library itself. */
const CLASS_NAMES = /@mantine\/core\/esm\/.*\/(\w+)\.module\.mjs$/

/** Imports them where the class names are. They are in a layer, so that their order is no matter to our own. */
export function mantineStyles(): Plugin {
  return {
    name: 'mantine-styles',
    transform: {
      filter: { id: CLASS_NAMES },
      handler(code, id) {
        const [, name = ''] = CLASS_NAMES.exec(id) ?? []
        const file = fileURLToPath(new URL(`${name}.layer.css`, STYLES))
        if (name === '' || !existsSync(file)) return undefined
        return { code: `import ${JSON.stringify(file)}\n${code}`, map: null }
      },
    },
  }
}
