// Draft of a template or layout: kept in the window's storage until it is saved or discarded.

import { useLayoutEffect, useRef, useState } from 'react'
import { keep, readKept } from '../../kept.ts'
import { SAMPLE } from './blank-starters.ts'
import type { Noun, RenderRequest, SaveBody, Saved } from './calls.ts'
import { readModel, writtenModel } from './model.ts'

/** The fields of the editor, as they are typed. */
export interface Draft {
  readonly name: string
  readonly alias: string
  readonly subject: string
  readonly html: string
  readonly text: string
  /** The alias or ID of the layout; empty for none. */
  readonly layout: string
  /** A path on each line. */
  readonly required: string
  readonly inline_css: boolean
  /** The model for previews, as it is typed; empty for none of its own. */
  readonly model: string
}

const draftOf = (saved: Saved): Draft => ({
  name: saved.name,
  alias: saved.alias ?? '',
  subject: saved.subject ?? '',
  html: saved.html ?? '',
  text: saved.text ?? '',
  layout: saved.layout ?? '',
  required: saved.required.join('\n'),
  inline_css: saved.inline_css,
  model: saved.sample_model === null ? '' : writtenModel(saved.sample_model),
})

const linesOf = (text: string): string[] =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')

/** Body of a save. */
export function bodyOf(noun: Noun, draft: Draft): SaveBody {
  const { name, alias, html, text } = draft
  const sample_model = readModel(draft.model).value ?? null
  const common = { name, alias: alias.trim() || null, html: html || null, text: text || null, sample_model }
  if (noun === 'layout') return common
  return {
    ...common,
    subject: draft.subject || null,
    layout: draft.layout || null,
    required: linesOf(draft.required),
    inline_css: draft.inline_css,
  }
}

/** Body of a request to render. Without a model the service uses a sample. */
export function renderRequestOf(noun: Noun, draft: Draft, model: object | undefined): RenderRequest {
  const variables = model === undefined ? {} : { template_model: model }
  const { html, text } = draft
  if (noun === 'layout') {
    const layout = { layout_html: html || null, layout_text: text || null }
    return { ...SAMPLE, ...layout, ...variables }
  }
  const { name: _, alias: __, sample_model: ___, ...rest } = bodyOf(noun, draft)
  return { ...rest, required: [...(rest.required ?? [])], ...variables }
}

interface Kept {
  readonly draft: Draft
  /** The version that it began from. */
  readonly base: number
}

const nameOf = (noun: Noun, id: string) => `${noun} ${id}`

function draftKept(name: string): Kept | undefined {
  try {
    return JSON.parse(readKept(name) ?? 'null') ?? undefined
  } catch {
    return undefined
  }
}

const isOf = (draft: Draft, saved: Saved): boolean => JSON.stringify(draft) === JSON.stringify(draftOf(saved))

/** The draft of something saved, begun from what an earlier look at it left behind. */
export function useDraft(noun: Noun, saved: Saved) {
  const name = nameOf(noun, saved.id)
  const [now, set] = useState<Kept>(() => {
    const kept = draftKept(name)
    // One that was kept before a new version of this program may have fewer fields.
    return { draft: { ...draftOf(saved), ...kept?.draft }, base: kept?.base ?? saved.version }
  })
  const { draft, base } = now
  // An answer may come when the page that asked is drawn anew, or gone: what was typed by then counts.
  const latest = useRef(now)
  useLayoutEffect(() => {
    latest.current = now
  }, [now])
  const put = (next: Kept, over: Saved) => {
    latest.current = next
    set(next)
    keep(name, isOf(next.draft, over) ? undefined : JSON.stringify(next))
  }
  const startFrom = (from: Saved) => put({ draft: draftOf(from), base: from.version }, from)
  const dirty = !isOf(draft, saved)
  // A version saved elsewhere replaces the draft as long as nothing was typed here.
  const [seen, setSeen] = useState(saved)
  if (saved !== seen) {
    setSeen(saved)
    // Nor is anything lost where the same was saved elsewhere. What was typed during a save begins from a later version.
    if (isOf(draft, saved) || (isOf(draft, seen) && base === seen.version))
      set({ draft: draftOf(saved), base: saved.version })
  }
  return {
    draft,
    base,
    dirty,
    /** A version was saved after the one that this began from. */
    overtaken: dirty && saved.version > base,
    change(changed: Partial<Draft>) {
      const { current } = latest
      put({ ...current, draft: { ...current.draft, ...changed } }, saved)
    },
    startFrom,
    /** Goes on from the version that `sent` was saved as: with what was typed since then, where there is any. */
    goOnFrom(next: Saved, sent: Draft) {
      const { draft: typed } = latest.current
      if (typed === sent) startFrom(next)
      else put({ draft: typed, base: next.version }, next)
    },
  }
}
