// Renders the API reference, one page of HTML, from the OpenAPI document and the list of problems.

import { anchorOf, type Endpoint, endpointsByTag, type OpenApiDocument } from './document.ts'
import { endpointSection } from './endpoint-section.ts'
import { guides, problemChapter } from './guides.ts'
import { escaped } from './html.ts'

const TAG_SENTENCES: Readonly<Record<string, string>> = {
  Operator:
    'For the operator: the queue of all accounts. Authenticates with POSTRIDER_OPERATOR_TOKEN, and is off without one.',
}

/** Returns the reference as HTML; `baseUrl` is the URL at which users reach the node. */
export function referencePage(document: OpenApiDocument, baseUrl: string): string {
  const chapters = guides(baseUrl)
  const byTag = endpointsByTag(document)
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Postrider API reference</title>
<link rel="icon" href="docs/mark.svg" type="image/svg+xml">
<link rel="stylesheet" href="docs/reference.css">
<script src="docs/reference.js" defer></script>
</head>
<body>
<a class="skip" href="#content">Skip to the content</a>
<nav aria-label="Contents">
<a class="brand" href="#top"><img src="docs/mark.svg" alt="" width="28" height="28"> Postrider</a>
<input type="search" id="find" placeholder="Find" aria-label="Find in the contents" hidden>
<h2>Basics</h2>
<ul>
${chapters.map(({ anchor, title }) => `<li><a href="#${anchor}">${escaped(title)}</a></li>`).join('\n')}
<li><a href="#problems">Problems</a></li>
</ul>
${Array.from(byTag, ([tag, endpoints]) => contentsOf(tag, endpoints)).join('\n')}
</nav>
<main id="content">
<header id="top">
<h1>API reference</h1>
<p>Send transactional email over REST and SMTP, follow its delivery, and verify addresses before you send.</p>
</header>
${chapters.map(({ anchor, title, html }) => chapter(anchor, title, html)).join('\n')}
${chapter('problems', 'Problems', problemChapter())}
${Array.from(byTag, ([tag, endpoints]) => tagChapter(tag, endpoints, baseUrl)).join('\n')}
</main>
</body>
</html>
`
}

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
