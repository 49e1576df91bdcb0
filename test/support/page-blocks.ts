// Code blocks of a Markdown page, for tests that run them as written.

import { readFile } from 'node:fs/promises'

/** A fenced code block of a page. */
export interface PageBlock {
  /** Heading of the section that contains the block; empty before the first heading. */
  readonly heading: string
  /** Language after the opening fence, such as `sh`. */
  readonly language: string
  readonly code: string
}

/** Returns the code blocks of a page in their order. */
export async function blocksOf(page: URL): Promise<readonly PageBlock[]> {
  let heading = ''
  const blocks: PageBlock[] = []
  const parts = (await readFile(page, 'utf8')).matchAll(/^```(\w*)\n(.*?)^```$|^#+ ([^\n]+)$/gms)
  for (const [, language = '', code, title] of parts) {
    if (code === undefined) heading = title ?? ''
    else blocks.push({ heading, language, code })
  }
  return blocks
}
