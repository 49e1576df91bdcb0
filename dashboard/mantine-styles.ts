// Vite plugins that leave out unused styles of Mantine: a page loads only the styles of components that it uses, and no
// variables of colours that the dashboard does not use.

import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { Plugin } from 'vite'

const STYLES = new URL('../node_modules/@mantine/core/styles/', import.meta.url)

/** Modules with the class names of a component; Mantine itself does not import the styles of the component there. */
const CLASS_NAMES = /@mantine\/core\/esm\/.*\/(\w+)\.module\.mjs$/

/**
 * Imports the styles in the modules with the class names. These styles are in a cascade layer, so their order does not
 * affect the dashboard's own styles.
 */
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

const VARIABLES = /@mantine\/core\/styles\/default-css-variables\.layer\.css$/
/** Colours of Mantine that no part of the dashboard uses; blue stays, because defaults of other variables name it. */
const UNUSED = /--mantine-color-(?:pink|grape|violet|indigo|cyan|teal|lime|orange)-[\w-]+:[^;}]+;/g

/** Removes the variables of unused colours, which are a third of the variables. */
export function mantineVariables(): Plugin {
  return {
    name: 'mantine-variables',
    enforce: 'pre',
    transform: {
      filter: { id: VARIABLES },
      handler: (code) => ({ code: code.replace(UNUSED, ''), map: null }),
    },
  }
}
