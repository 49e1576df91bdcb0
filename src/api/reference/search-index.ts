// Creates the index for the search of the reference: endpoints with their fields, guides, problems, and the pages of the
// documentation.

import { PROBLEMS } from '../../model/problem.ts'
import type { DocsPage } from './docs-pages.ts'
import { contentOf, type Endpoint, endpointsByTag, type OpenApiDocument } from './document.ts'
import { fieldsOf } from './fields.ts'
import type { Guide } from './guides.ts'

/** Place that the search finds. The field names are short, because the browser loads the whole index. */
export interface SearchEntry {
  readonly title: string
  /** Method and path, or the title of the page. */
  readonly place: string
  /** Address relative to the directory of the reference. */
  readonly href: string
  /** Names of the fields and parameters of an endpoint. */
  readonly fields?: readonly string[]
  readonly text: string
}

/** Returns an entry for every endpoint, guide, problem and section of the documentation. */
export function searchIndex(
  document: OpenApiDocument,
  guides: readonly Guide[],
  pages: readonly DocsPage[],
): readonly SearchEntry[] {
  return [
    ...Array.from(endpointsByTag(document).values()).flat().map(endpointEntry),
    ...guides.map(({ anchor, title, html }) => ({
      title,
      place: 'Basics',
      href: `docs#${anchor}`,
      text: textOf(html),
    })),
    ...Object.entries(PROBLEMS).map(([code, { status, title, meaning }]) => ({
      title: code,
      place: `${status} ${title}`,
      href: `docs#${code}`,
      text: meaning.replaceAll('`', ''),
    })),
    ...pages.flatMap(({ name, title, sections }) =>
      sections.map((section) => ({
        title: section.title,
        place: title,
        href: `docs/pages/${name}#${section.anchor}`,
        text: section.text,
      })),
    ),
  ]
}

function endpointEntry(endpoint: Endpoint): SearchEntry {
  const {
    summary,
    method,
    path,
    anchor,
    description = '',
    parameters = [],
    requestBody,
    responses,
  } = endpoint
  const [, answer] = Object.entries(responses).find(([status]) => status.startsWith('2')) ?? []
  const schemas = [contentOf(requestBody?.content)?.schema, contentOf(answer?.content)?.schema]
  const fields = [
    ...parameters.map(({ name, description: meaning = '' }) => ({ name, meaning })),
    ...schemas.flatMap((schema) => (schema === undefined ? [] : fieldsOf(schema))),
  ]
  return {
    title: summary,
    place: `${method} ${path}`,
    href: `docs#${anchor}`,
    fields: [...new Set(fields.map(({ name }) => name))],
    text: [
      description,
      ...new Set(fields.map(({ name, meaning }) => (meaning === '' ? name : `${name}: ${meaning}`))),
    ]
      .join(' · ')
      .replaceAll('`', ''),
  }
}

/** Returns the text content of HTML that this service wrote. */
const textOf = (html: string): string =>
  html
    .replace(/<figure.*?<\/figure>/gs, ' ')
    .replace(/<[^<>]+>/g, ' ')
    .replace(/&(amp|lt|gt|quot|#39);/g, (_, name: string) => ENTITIES[name] ?? ' ')
    .replace(/\s+/g, ' ')
    .trim()

const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'" }
