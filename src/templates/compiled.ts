// Templates and layouts with their parts read into trees, each version once.

import { Recent } from '../lib/recent.ts'
import type { Layout } from '../store/layouts.ts'
import type { Template as StoredTemplate } from '../store/templates.ts'
import { isTemplate, parseTemplate } from '../template-language/parse.ts'
import type { Template as Tree } from '../template-language/tree.ts'

/** The trees of what may have them. */
export interface RenderedParts {
  readonly subject: Tree | undefined
  readonly html: Tree | undefined
  readonly text: Tree | undefined
}

export interface CompiledTemplate extends RenderedParts {
  readonly stored: StoredTemplate
  readonly required: readonly string[]
  readonly inlineCss: boolean
}

/** Characters of template text that trees are kept of; a tree takes some ten times as many octets. */
const MOST_CHARACTERS = 5_000_000

/** Reads templates and layouts into trees; those used last are remembered by ID and version, which never change. */
export class Trees {
  readonly #parts = new Recent<RenderedParts>(MOST_CHARACTERS)

  template(stored: StoredTemplate): CompiledTemplate {
    return {
      stored,
      required: JSON.parse(stored.required_paths) as string[],
      inlineCss: stored.inline_css === 1,
      ...this.#of(stored),
    }
  }

  layout(stored: Layout): RenderedParts {
    return this.#of({ ...stored, subject: null })
  }

  #of(stored: Pick<StoredTemplate, 'id' | 'version' | 'subject' | 'html' | 'text'>): RenderedParts {
    const key = `${stored.id} ${stored.version}`
    const known = this.#parts.get(key)
    if (known !== undefined) return known
    const { subject, html, text } = stored
    const parts = { subject: treeOf(subject), html: treeOf(html), text: treeOf(text) }
    this.#parts.set(key, parts, weightOf(stored))
    return parts
  }
}

/** How many characters a template or layout has. */
export const weightOf = ({
  subject = null,
  html,
  text,
}: {
  readonly subject?: string | null
  readonly html: string | null
  readonly text: string | null
}): number => 1_000 + (subject?.length ?? 0) + (html?.length ?? 0) + (text?.length ?? 0)

/** What is stored was checked when it was saved. */
function treeOf(text: string | null): Tree | undefined {
  if (text === null || text === '') return undefined
  const read = parseTemplate(text)
  if (isTemplate(read)) return read
  throw new Error(`a stored template cannot be read: ${read[0]?.message}`)
}
