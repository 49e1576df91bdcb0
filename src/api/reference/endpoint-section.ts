// Renders an endpoint in the reference, with its description and fields on the left and examples of request and
// response on the right.

import { contentOf, type Endpoint } from './document.ts'
import { exampleOf } from './example.ts'
import { fieldList, parameterList, typeOf } from './fields.ts'
import { codeBlock, codeTabs, escaped, paragraphs } from './html.ts'
import { LANGUAGES } from './request-code.ts'
import { type RequestExample, requestExample } from './request-example.ts'

const STATUS: Readonly<Record<string, string>> = {
  200: 'OK',
  201: 'Created',
  202: 'Accepted',
  204: 'No Content',
}

const PLACES = [
  ['path', 'Path'],
  ['query', 'Query'],
  ['header', 'Headers'],
] as const

export function endpointSection(endpoint: Endpoint, baseUrl: string): string {
  const { anchor, method, path, summary, description } = endpoint
  return `<section class="endpoint" id="${anchor}">
<div class="told">
<h3><a href="#${anchor}">${escaped(summary)}</a></h3>
<p class="address"><span class="method ${method.toLowerCase()}">${method}</span> <code>${escaped(path)}</code></p>
${description === undefined ? '' : paragraphs(description)}
${parametersOf(endpoint)}
${bodyOf(endpoint)}
${answerOf(endpoint)}
${refusalsOf(endpoint)}
</div>
<div class="shown">
${codeIn(requestExample(endpoint, baseUrl))}
${answerExample(endpoint)}
</div>
</section>`
}

/** Returns an example request in all languages. */
export const codeIn = (example: RequestExample): string =>
  codeTabs(
    'Request',
    LANGUAGES.map(({ name, title, code }) => ({ name, title, code: code(example) })),
  )

function parametersOf({ parameters = [] }: Endpoint): string {
  return PLACES.map(([place, title]) => {
    const own = parameters.filter((one) => one.in === place)
    return own.length === 0 ? '' : `<h4>${title}</h4>\n${parameterList(own)}`
  }).join('\n')
}

function bodyOf({ requestBody }: Endpoint): string {
  const content = contentOf(requestBody?.content)
  if (content?.schema === undefined) return ''
  const { mediaType, schema } = content
  const others = Object.keys(requestBody?.content ?? {}).filter((type) => type !== mediaType)
  const type = [`${mediaType}, ${typeOf(schema)}`, ...others].join('; ')
  const [first, further] = schema['x-lines'] ?? []
  const fields =
    first === undefined || further === undefined
      ? fieldList(schema, true)
      : `<h5>First line</h5>\n${fieldList(first, true)}\n<h5>Each further line</h5>\n${fieldList(further, true)}`
  return `<h4>Body <span class="type">${escaped(type)}</span></h4>\n${fields}`
}

/** Returns the status and the content of the successful response. */
function success({ responses }: Endpoint) {
  const [status, answer] = Object.entries(responses).find(([code]) => code.startsWith('2')) ?? []
  if (status === undefined) return undefined
  return { status: `${status} ${STATUS[status] ?? ''}`.trim(), content: contentOf(answer?.content) }
}

function answerOf(endpoint: Endpoint): string {
  const found = success(endpoint)
  if (found === undefined) return ''
  const fields = found.content?.schema === undefined ? '' : fieldList(found.content.schema, false)
  if (fields === '') return ''
  return `<details><summary>Response <span class="type">${escaped(found.status)}</span></summary>\n${fields}</details>`
}

function answerExample(endpoint: Endpoint): string {
  const found = success(endpoint)
  if (found?.content?.schema === undefined) return ''
  const { mediaType, schema } = found.content
  if (mediaType !== 'application/json') return codeBlock(found.status, mediaType, 'sh')
  return codeBlock(found.status, JSON.stringify(exampleOf(schema), null, 2), 'json')
}

/**
 * Returns the problem codes of an endpoint by status as an HTML list. The descriptions of the OpenAPI document contain
 * the codes.
 */
function refusalsOf({ responses }: Endpoint): string {
  const codes = Object.entries(responses)
    .filter(([status]) => !status.startsWith('2'))
    .flatMap(([status, { description }]) =>
      Array.from(description.matchAll(/`(\w+)`/g), ([, code = '']) => [status, code] as const),
    )
  const links = codes.map(
    ([status, code]) => `<li><a href="#${code}"><span>${status}</span> ${escaped(code)}</a></li>`,
  )
  return `<h4>Refusals</h4>\n<ul class="codes">${links.join('')}</ul>`
}
