// What Vite makes the dashboard of: the development server reads it by itself, `build.ts` for each language.
// `vite dashboard --mode de` shows the pages in German.

import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import react from '@vitejs/plugin-react'
import { defineConfig, type Plugin, type UserConfig } from 'vite'
import { mantineStyles } from './mantine-styles.ts'
import { LANGUAGES } from './texts/language.ts'

const at = (path: string): string => fileURLToPath(new URL(path, import.meta.url))

/** Rooms of texts as the pages import them. */
const ENGLISH = /\/texts\/en\/([\w-]+\.ts)$/

/** Puts the rooms of a language in the place of the English ones, and names it in the documents. */
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

/** Pages before the login, which the service answers with the other document. */
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

/** The dashboard in a language, as it is developed and built. */
export const inLanguage = (language: string): UserConfig => ({
  root: at('.'),
  plugins: [react(), mantineStyles(), textsIn(language), outsideWhileDeveloping()],
  // The server replaces it in each answer by a value of its own.
  html: { cspNonce: '%csp-nonce%' },
  build: {
    target: 'es2023',
    // No file becomes a `data:` address: the Content-Security-Policy allows none for scripts and fonts.
    assetsInlineLimit: 0,
    // The editor is large and has a page of its own.
    chunkSizeWarningLimit: 700,
    modulePreload: { polyfill: false },
    // Two programs: the pages before the login, and all others.
    rolldownOptions: { input: [at('index.html'), at('outside.html')] },
  },
  server: {
    proxy: { '/api': 'http://127.0.0.1:8025', '/docs': 'http://127.0.0.1:8025' },
  },
})

export default defineConfig(({ mode }) => inLanguage(Object.hasOwn(LANGUAGES, mode) ? mode : 'en'))
