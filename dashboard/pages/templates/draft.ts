// Draft of a template or layout, which the window storage keeps until it is saved or discarded.

import { useLayoutEffect, useRef, useState } from 'react'
import { keep, readKept } from '../../kept.ts'
import { SAMPLE } from './blank-starters.ts'
import type { Noun, RenderRequest, SaveBody, Saved } from './calls.ts'
import { readModel, writtenModel } from './model.ts'

/** Values of the editor fields as the user has typed them. */
export interface Draft {
  readonly name: string
  readonly alias: string
  readonly subject: string
  readonly html: string
  readonly text: string
  /** Alias or ID of the layout; empty for no layout. */
  readonly layout: string
  /** Required paths of the model, one per line. */
  readonly required: string
  readonly inline_css: boolean
  /** Template model for previews as the user has typed it; empty if the template has no model. */
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

/** Returns the body of a save request. */
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

/** Returns the body of a render request; the service uses a sample model if the request has none. */
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
  /** Version on which the draft is based. */
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

/** Returns the draft of a saved template or layout, or the draft that was kept on an earlier visit. */
export function useDraft(noun: Noun, saved: Saved) {
  const name = nameOf(noun, saved.id)
  const [now, set] = useState<Kept>(() => {
    const kept = draftKept(name)
    // A draft that an older version of the dashboard stored may have fewer fields.
    return { draft: { ...draftOf(saved), ...kept?.draft }, base: kept?.base ?? saved.version }
  })
  const { draft, base } = now
  // A response may arrive after the page was rendered again or closed, so the latest draft counts.
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
  // A version that another user saves replaces the draft if the user has typed nothing.
  const [seen, setSeen] = useState(saved)
  if (saved !== seen) {
    setSeen(saved)
    // A draft that equals the new version is replaced as well. Text that was typed during a save is based on the new
    // version.
    if (isOf(draft, saved) || (isOf(draft, seen) && base === seen.version))
      set({ draft: draftOf(saved), base: saved.version })
  }
  return {
    draft,
    base,
    dirty,
    /** True if another version was saved after the version on which the draft is based. */
    overtaken: dirty && saved.version > base,
    change(changed: Partial<Draft>) {
      const { current } = latest
      put({ ...current, draft: { ...current.draft, ...changed } }, saved)
    },
    startFrom,
    /** Continues from the version that was saved from `sent`, and keeps the text that was typed after the save. */
    goOnFrom(next: Saved, sent: Draft) {
      const { draft: typed } = latest.current
      if (typed === sent) startFrom(next)
      else put({ draft: typed, base: next.version }, next)
    },
  }
}
