// Renders the API reference as one HTML page, from the OpenAPI document and the list of problems. Also renders the
// pages of the documentation in the same layout.

import type { DocsPage } from './docs-pages.ts'
import { anchorOf, type Endpoint, endpointsByTag, type OpenApiDocument } from './document.ts'
import { endpointSection } from './endpoint-section.ts'
import { type Guide, problemChapter } from './guides.ts'
import { escaped } from './html.ts'

const TAG_SENTENCES: Readonly<Record<string, string>> = {
  Operator:
    'Queue of all accounts, for the operator. Requires the token POSTRIDER_OPERATOR_TOKEN; without this setting, the operator API is off.',
}

/** Returns the reference as HTML; `baseUrl` is the URL at which users reach the node. */
export function referencePage(
  document: OpenApiDocument,
  baseUrl: string,
  chapters: readonly Guide[],
  pages: readonly DocsPage[],
): string {
  const byTag = endpointsByTag(document)
  const basics = [...chapters, { anchor: 'problems', title: 'Problems' }]
  return htmlPage({
    title: 'Postrider API reference',
    root: '',
    contents: `<h2>Basics</h2>
<ul>
${basics.map(({ anchor, title }) => `<li><a href="#${anchor}">${escaped(title)}</a></li>`).join('\n')}
</ul>
${Array.from(byTag, ([tag, endpoints]) => contentsOf(tag, endpoints)).join('\n')}
${listOfPages(pages, 'docs/pages/')}`,
    main: `<header id="top">
<h1>API reference</h1>
<p>Send transactional email over REST and SMTP, follow its delivery, and verify addresses before you send.</p>
</header>
${chapters.map(({ anchor, title, html }) => chapter(anchor, title, html)).join('\n')}
${chapter('problems', 'Problems', problemChapter())}
${Array.from(byTag, ([tag, endpoints]) => tagChapter(tag, endpoints, baseUrl)).join('\n')}`,
  })
}

/** Returns a page of the documentation as HTML, with links to all other pages. */
export const documentationPage = ({ title, html }: DocsPage, pages: readonly DocsPage[]): string =>
  htmlPage({
    title: `${title} – Postrider`,
    root: '../../',
    contents: `<ul>\n<li><a href="../../docs">API reference</a></li>\n</ul>\n${listOfPages(pages, '')}`,
    main: `<div class="prose" id="top">\n${html}\n</div>`,
  })

const listOfPages = (pages: readonly DocsPage[], folder: string): string =>
  pages.length === 0
    ? ''
    : `<h2>Documentation</h2>
<ul>
${pages.map(({ name, title }) => `<li><a href="${folder}${name}">${escaped(title)}</a></li>`).join('\n')}
</ul>`

interface Page {
  readonly title: string
  /** Path from the page to the root of the node, empty or with a slash at its end. */
  readonly root: string
  /** Table of contents, and the content, as HTML. */
  readonly contents: string
  readonly main: string
}

const htmlPage = ({ title, root, contents, main }: Page): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escaped(title)}</title>
<link rel="icon" href="${root}docs/mark.svg" type="image/svg+xml">
<link rel="stylesheet" href="${root}docs/reference.css">
<script src="${root}docs/reference.js" defer></script>
</head>
<body>
<a class="skip" href="#content">Skip to the content</a>
<nav aria-label="Contents">
<a class="brand" href="${root === '' ? '#top' : `${root}docs`}"><img src="${root}docs/mark.svg" alt="" width="28" height="28"> Postrider</a>
<input type="search" id="find" placeholder="Search" aria-label="Search fields, guides and pages" data-root="${root}" hidden>
<div id="found" aria-live="polite" hidden></div>
<div id="contents">
${contents}
</div>
</nav>
<main id="content">
${main}
</main>
</body>
</html>
`

const contentsOf = (tag: string, endpoints: readonly Endpoint[]): string =>
  `<h2><a href="#tag-${anchorOf(tag)}">${escaped(tag)}</a></h2>
<ul>
${endpoints
  .map(
    ({ anchor, method, summary }) =>
      `<li><a href="#${anchor}"><span class="method ${method.toLowerCase()}">${method}</span> ${escaped(summary)}</a></li>`,
  )
  .join('\n')}
</ul>`

const chapter = (anchor: string, title: string, html: string): string =>
  `<section class="chapter" id="${anchor}">
<h2><a href="#${anchor}">${escaped(title)}</a></h2>
<div class="endpoint">${html}</div>
</section>`

function tagChapter(tag: string, endpoints: readonly Endpoint[], baseUrl: string): string {
  const about = TAG_SENTENCES[tag]
  return `<section class="chapter" id="tag-${anchorOf(tag)}">
<h2><a href="#tag-${anchorOf(tag)}">${escaped(tag)}</a></h2>
${about === undefined ? '' : `<p>${escaped(about)}</p>`}
${endpoints.map((endpoint) => endpointSection(endpoint, baseUrl)).join('\n')}
</section>`
}

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
