// Generates llms.txt, the list of the documentation for language models (llmstxt.org).

import type { DocsPage } from './docs-pages.ts'

/** Maximum length of the description of a page, in characters. */
const MAX_DESCRIPTION = 200

/**
 * Returns a text with a link to the Markdown of each page.
 *
 * @param url base URL of the server
 */
export const llmsText = (url: string, pages: readonly DocsPage[]): string =>
  [
    '# Postrider',
    '',
    '> Self-hosted transactional email and email verification: a REST API, SMTP submission, webhooks and a dashboard.',
    '',
    `Requests have an API key: \`Authorization: Bearer KEY\`. The endpoints begin with ${url}/v1.`,
    '',
    '## API',
    '',
    `- [OpenAPI document](${url}/v1/openapi.json): All endpoints with their shapes, scopes and problem codes.`,
    `- [Reference](${url}/docs): The same for people, with examples.`,
    '',
    '## Docs',
    '',
    ...pages.map((page) => `- [${page.title}](${url}/docs/${page.name}.md)${descriptionOf(page)}`),
    '',
  ].join('\n')

/** Returns the first sentence of a page after a colon; empty for a page that begins with a list or a table. */
function descriptionOf({ sections: [first] }: DocsPage): string {
  const [sentence] = /^\p{Lu}[^\n]*?[.:](?=\s|$)/u.exec(first?.text ?? '') ?? []
  return sentence === undefined || sentence.length > MAX_DESCRIPTION ? '' : `: ${sentence.replace(/:$/, '.')}`
}
