// Vite configuration of the dashboard, which the development server uses directly, and `build.ts` once per language.
// `vite dashboard --mode de` shows the pages in German.

import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import react from '@vitejs/plugin-react'
import { defineConfig, type Plugin, type UserConfig } from 'vite'
import { mantineStyles, mantineVariables } from './mantine-styles.ts'
import { LANGUAGES } from './texts/language.ts'

const at = (path: string): string => fileURLToPath(new URL(path, import.meta.url))

/** Pattern of the English text files, which pages import. */
const ENGLISH = /\/texts\/en\/([\w-]+\.ts)$/

/** Replaces the English texts by the texts of another language, and names this language in the documents. */
function textsIn(language: string): Plugin {
  return {
    name: 'texts-in-a-language',
    load: {
      filter: { id: ENGLISH },
      handler(id) {
        const [, file] = ENGLISH.exec(id) ?? []
        if (file === undefined || language === 'en') return undefined
        const translated = at(`texts/${language}/${file}`)
        this.addWatchFile(translated)
        return readFile(translated, 'utf8')
      },
    },
    transformIndexHtml: (html) => html.replace('lang="en"', `lang="${language}"`),
  }
}

/** Serves the other document for the pages before the login during development, as the service does. */
function outsideWhileDeveloping(): Plugin {
  return {
    name: 'outside-while-developing',
    configureServer({ middlewares }) {
      middlewares.use((request, _response, next) => {
        const before = /^\/(login|first-run|invitation|forgotten-password|reset-password)(\?|$)/
        if (before.test(request.url ?? '')) request.url = '/outside.html'
        next()
      })
    },
  }
}

/** Returns the configuration of the dashboard in a language, for development and builds. */
export const inLanguage = (language: string): UserConfig => ({
  root: at('.'),
  plugins: [react(), mantineVariables(), mantineStyles(), textsIn(language), outsideWhileDeveloping()],
  // The server replaces this placeholder by a new nonce in each response.
  html: { cspNonce: '%csp-nonce%' },
  build: {
    target: 'es2023',
    // Files are not inlined as `data:` URLs, because the content security policy forbids them for scripts and fonts.
    assetsInlineLimit: 0,
    // The template editor is large and is loaded only on its page.
    chunkSizeWarningLimit: 700,
    // The lists of scripts that a page needs would make the first load 1 KiB larger; a page loads them by its imports.
    modulePreload: {
      polyfill: false,
      resolveDependencies: (_file, files, { hostType }) =>
        hostType === 'html' ? files : files.filter((file) => file.endsWith('.css')),
    },
    // There are two programs: the pages before the login, and all other pages.
    rolldownOptions: { input: [at('index.html'), at('outside.html')] },
  },
  server: {
    proxy: { '/api': 'http://127.0.0.1:8025', '/docs': 'http://127.0.0.1:8025' },
  },
})

export default defineConfig(({ mode }) => inLanguage(Object.hasOwn(LANGUAGES, mode) ? mode : 'en'))
