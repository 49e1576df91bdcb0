// Parsed templates and layouts; each version is parsed once.

import { cacheOf } from '../lib/caches.ts'
import type { Layout } from '../store/workspace/layouts.ts'
import type { Template as StoredTemplate } from '../store/workspace/templates.ts'
import { hasAtMostTokens } from '../template-language/extent.ts'
import { isTemplate, parseTemplate } from '../template-language/parse.ts'
import type { Template as Tree } from '../template-language/tree.ts'
import { editedText, isEdited } from './edited-tags.ts'

/** The trees of the existing parts. */
export interface RenderedParts {
  readonly subject: Tree | undefined
  readonly html: Tree | undefined
  readonly text: Tree | undefined
}

export interface CompiledTemplate extends RenderedParts {
  readonly required: readonly string[]
  readonly inlineCss: boolean
}

/** The texts of a stored version, which never change. */
export interface Source extends Pick<Layout, 'id' | 'version' | 'html' | 'text'> {
  readonly subject?: string | null
  readonly alias?: string | null
}

export interface TemplateSource extends Source {
  readonly layoutId: string | null
  readonly required: readonly string[]
  readonly inlineCss: boolean
}

/** Returns the key of a version. */
export const versionOf = ({ id, version }: Source): string => `${id} ${version}`

export const templateSource = (stored: StoredTemplate): TemplateSource => ({
  ...layoutSource(stored),
  subject: stored.subject,
  layoutId: stored.layout_id,
  required: JSON.parse(stored.required_paths) as string[],
  inlineCss: stored.inline_css === 1,
})

export const layoutSource = ({ id, alias, version, html, text }: Layout | StoredTemplate): Source => ({
  id,
  alias,
  version,
  html,
  text,
})

/** Maximum number of tokens in the tags of a version that is parsed on the event loop; a token takes about 15 µs. */
const MAX_QUICK_TOKENS = 300

/** Parses templates and layouts, and caches recently used trees. */
export class Trees {
  readonly #parts = cacheOf<RenderedParts>('template_trees')

  template(source: TemplateSource): CompiledTemplate {
    const { required, inlineCss } = source
    return { required, inlineCss, ...this.parts(source) }
  }

  parts(source: Source): RenderedParts {
    const key = versionOf(source)
    const known = this.#parts.get(key)
    if (known !== undefined) return known
    const parts = {
      subject: treeOf(source.subject),
      html: treeOf(source.html && editedText(source.html).text),
      text: treeOf(source.text && editedText(source.text).text),
    }
    this.#parts.set(key, parts, TREE_FACTOR * charactersOf(source))
    return parts
  }

  /** True if the template is parsed already, or can be parsed in a few milliseconds. */
  isQuick(source: Source): boolean {
    return this.#parts.has(versionOf(source)) || isQuickToRead(source)
  }
}

/** True if the parts can be parsed in a few milliseconds. */
export function isQuickToRead({ subject, html, text }: Partial<Source>): boolean {
  const parts = [subject ?? '', html ?? '', text ?? '']
  if (!hasAtMostTokens(parts, MAX_QUICK_TOKENS)) return false
  if (!parts.some(isEdited)) return true
  const length = parts.reduce((sum, part) => sum + part.length, 0)
  return (
    length <= MAX_QUICK_EDITED &&
    hasAtMostTokens(
      parts.map((part) => editedText(part).text),
      MAX_QUICK_TOKENS,
    )
  )
}

/**
 * Maximum number of characters of a version with tags changed by an editor: restoring the tags takes at most a
 * microsecond per character.
 */
const MAX_QUICK_EDITED = 5_000

/** Approximate number of bytes in a tree for each character of its text. */
const TREE_FACTOR = 10

/** Returns the number of characters of all parts, including the parts of a draft's own layout. */
export const charactersOf = (parts: Partial<Record<Part, string | null>> | undefined): number =>
  PARTS.reduce((sum, part) => sum + (parts?.[part]?.length ?? 0), 0)

const PARTS = ['subject', 'html', 'text', 'layout_html', 'layout_text'] as const
type Part = (typeof PARTS)[number]

/** Parses a text that was checked when it was saved. */
function treeOf(text: string | null | undefined): Tree | undefined {
  if (!text) return undefined
  const read = parseTemplate(text)
  if (isTemplate(read)) return read
  throw new Error(`a stored template cannot be read: ${read[0]?.message}`)
}
