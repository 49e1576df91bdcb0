// Build of the dashboard: into `dist`, each text file beside its brotli and gzip forms.

import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import react from '@vitejs/plugin-react'
import { defineConfig, type Plugin } from 'vite'

const COMPRESSED = /\.(js|css|svg)$/

/** Compresses once at build time what would otherwise be compressed for every visitor. */
function precompress(): Plugin {
  let directory = ''
  return {
    name: 'precompress',
    apply: 'build',
    configResolved({ root, build }) {
      directory = resolve(root, build.outDir)
    },
    async closeBundle() {
      for (const entry of await readdir(directory, { recursive: true })) {
        if (!COMPRESSED.test(entry)) continue
        const file = join(directory, entry)
        const content = await readFile(file)
        // Every text is small: the best that brotli can do costs seconds in all.
        const params = { [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY }
        await writeFile(`${file}.br`, await promisify(brotliCompress)(content, { params }))
        await writeFile(`${file}.gz`, await promisify(gzip)(content, { level: 9 }))
      }
    },
  }
}

export default defineConfig({
  plugins: [react(), precompress()],
  // The server replaces it in each answer by a value of its own.
  html: { cspNonce: '%csp-nonce%' },
  build: {
    target: 'es2023',
    // No file becomes a `data:` address: the Content-Security-Policy allows none for scripts and fonts.
    assetsInlineLimit: 0,
    manifest: true,
    // The editor is large and has a page of its own.
    chunkSizeWarningLimit: 700,
  },
  server: {
    proxy: { '/api': 'http://127.0.0.1:8025', '/docs': 'http://127.0.0.1:8025' },
  },
})
