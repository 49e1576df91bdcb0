// API calls about templates and layouts, which have most fields in common.

import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import type { Static } from 'typebox'
import type {
  DraftBody,
  LayoutList,
  LayoutView,
  RenderedView,
  TemplateList,
  TemplateView,
  VersionList,
} from '../../../src/api/contract/template.ts'
import { get, type Page, path, post, put, remove } from '../../client.ts'

export type Noun = 'template' | 'layout'

export type Template = Static<typeof TemplateView>
export type Layout = Static<typeof LayoutView>
export type TemplateLine = Static<typeof TemplateList>['data'][number]
export type LayoutLine = Static<typeof LayoutList>['data'][number]
export type Version = Static<typeof VersionList>['data'][number]
export type Rendered = Static<typeof RenderedView>

/** A template or layout in the editor; fields that a layout does not have are empty. */
export interface Saved {
  readonly id: string
  readonly version: number
  readonly alias: string | null
  readonly name: string
  readonly subject: string | null
  readonly html: string | null
  readonly text: string | null
  readonly layout: string | null
  readonly required: readonly string[]
  readonly inline_css: boolean
  /** Template model for previews; null if there is none. */
  readonly sample_model: object | null
}

const address = (noun: Noun, domainId: string) => path`/api/domains/${domainId}/${`${noun}s`}`
const one = (noun: Noun, domainId: string, id: string) => path`/api/domains/${domainId}/${`${noun}s`}/${id}`

export const templatesQuery = (domainId: string, cursor?: string) =>
  queryOptions({
    queryKey: ['domains', domainId, 'templates', cursor],
    queryFn: ({ signal }) => get<Page<TemplateLine>>(address('template', domainId), { cursor }, signal),
  })

/** Returns the query for all templates of a domain, for a selection field. */
export const allTemplatesQuery = (domainId: string) =>
  queryOptions({
    queryKey: ['domains', domainId, 'templates', { all: true }],
    async queryFn({ signal }): Promise<readonly TemplateLine[]> {
      const all: TemplateLine[] = []
      let cursor: string | undefined
      do {
        const query = { cursor, limit: 200 }
        const page = await get<Page<TemplateLine>>(address('template', domainId), query, signal)
        all.push(...page.data)
        cursor = page.next_cursor ?? undefined
      } while (cursor !== undefined)
      return all
    },
  })

export const layoutsQuery = (domainId: string, cursor?: string) =>
  queryOptions({
    queryKey: ['domains', domainId, 'layouts', cursor],
    queryFn: ({ signal }) =>
      get<Page<LayoutLine>>(address('layout', domainId), { cursor, limit: 200 }, signal),
  })

const savedOf = (answer: Template | Layout): Saved => ({
  ...{ subject: null, layout: null, required: [], inline_css: false },
  ...answer,
  id: 'template_id' in answer ? answer.template_id : answer.layout_id,
})

export const savedQuery = (noun: Noun, domainId: string, id: string) =>
  queryOptions({
    queryKey: ['domains', domainId, noun, id],
    queryFn: async ({ signal }) =>
      savedOf(await get<Template | Layout>(one(noun, domainId, id), undefined, signal)),
    // Another user may save the template while the editor is open.
    refetchInterval: 15_000,
  })

export const versionsQuery = (noun: Noun, domainId: string, id: string, cursor: string | undefined) =>
  queryOptions({
    queryKey: ['domains', domainId, noun, id, 'versions', cursor],
    queryFn: ({ signal }) =>
      get<Page<Version>>(`${one(noun, domainId, id)}/versions`, { limit: 20, cursor }, signal),
    placeholderData: keepPreviousData,
  })

/** Content of a version; a layout has fewer fields. */
export type VersionContent = Pick<Saved, 'alias' | 'name' | 'html' | 'text' | 'sample_model'> &
  Partial<Pick<Saved, 'subject' | 'layout' | 'required' | 'inline_css'>>

export const versionQuery = (noun: Noun, domainId: string, id: string, version: number) =>
  queryOptions({
    queryKey: ['domains', domainId, noun, id, 'version', version],
    queryFn: ({ signal }) =>
      get<VersionContent>(`${one(noun, domainId, id)}/versions/${version}`, undefined, signal),
    staleTime: Number.POSITIVE_INFINITY,
  })

/** Body of a save request; a layout has fewer fields. */
export type SaveBody = Partial<Omit<Saved, 'id' | 'version'>> & { readonly name: string }

export const create = async (noun: Noun, domainId: string, body: SaveBody): Promise<Saved> =>
  savedOf(await post<Template | Layout>(address(noun, domainId), body))

/** Saves a new version; the API refuses the request if another version was saved after the version `replaces`. */
export const save = async (
  noun: Noun,
  domainId: string,
  id: string,
  body: SaveBody,
  replaces: number,
): Promise<Saved> =>
  savedOf(await put<Template | Layout>(one(noun, domainId, id), { ...body, replaces_version: replaces }))

export const restore = async (noun: Noun, domainId: string, id: string, version: number): Promise<Saved> =>
  savedOf(await post<Template | Layout>(`${one(noun, domainId, id)}/versions/${version}/restore`))

export const destroy = (noun: Noun, domainId: string, id: string): Promise<void> =>
  remove(one(noun, domainId, id))

export type RenderRequest = Static<typeof DraftBody>

/**
 * Returns the query that renders a draft. The draft is rendered again after each change, and a refused draft is not
 * retried.
 */
export const renderedQuery = (domainId: string, draft: RenderRequest | undefined) =>
  queryOptions({
    queryKey: ['domains', domainId, 'rendered', draft],
    queryFn: () => post<Rendered>(path`/api/domains/${domainId}/render`, draft),
    enabled: draft !== undefined,
    placeholderData: keepPreviousData,
    gcTime: 10_000,
  })

export const sendTest = (domainId: string, message: object): Promise<{ readonly message_id: string }> =>
  post(path`/api/domains/${domainId}/messages`, message)
