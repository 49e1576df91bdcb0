// Preserves the written form of numbers, such as 1.50, in the template models of a JSON body.

import { isWrittenNumber } from '../lib/written-numbers.ts'

/** Request fields that contain template models. */
const MODELS = [
  ...['template_model', 'sample_model', 'TemplateModel', 'TestRenderModel'],
  ...['dynamic_template_data', 'variables'],
] as const
/** Fields with a list of requests, in bodies that are no batch themselves. */
const LISTS = ['Messages', 'personalizations'] as const
/** Fields with an object that names a template and has its model. */
const TEMPLATES = ['template'] as const

type Fields = Record<string, unknown>

const isObject = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/**
 * Returns the objects of a body that may have template models: the items of a batch, or the body itself and the items of
 * its lists, each with its template.
 */
function requestsOf(body: object): readonly unknown[] {
  const requests = Array.isArray(body)
    ? body
    : [body, ...LISTS.flatMap((name) => (body as Fields)[name] ?? [])]
  const templates = requests.flatMap((one) => (isObject(one) ? TEMPLATES.map((name) => one[name]) : []))
  return [...requests, ...templates.filter(isObject)]
}

/** True if a body contains a template model. */
export const hasModels = (body: object): boolean =>
  requestsOf(body).some((request) => isObject(request) && MODELS.some((name) => isObject(request[name])))

/**
 * Replaces the template models of `body` with the template models of `written`, which was parsed from the same text and
 * keeps numbers in their written form.
 */
export function takeModels(body: object, written: object): void {
  const requests = requestsOf(body)
  for (const [index, kept] of requestsOf(written).entries()) {
    const request = requests[index]
    if (!isObject(request) || !isObject(kept)) continue
    for (const name of MODELS) if (isObject(request[name])) request[name] = kept[name]
  }
}

/**
 * Replaces each `WrittenNumber` in template models with a String object, which no JSON value contains and which a
 * structured clone preserves. Returns true if a number was replaced.
 */
export const packModelNumbers = (body: object): boolean =>
  replaceInModels(body, (value) => (isWrittenNumber(value) ? new String(value.rawJSON) : undefined))

/** Reverts `packModelNumbers` after a structured clone. */
export const unpackModelNumbers = (body: object): boolean =>
  replaceInModels(body, (value) => (value instanceof String ? JSON.rawJSON(value.valueOf()) : undefined))

function replaceInModels(body: object, replacement: (value: object) => object | undefined): boolean {
  const open: Fields[] = []
  for (const request of requestsOf(body)) {
    if (!isObject(request)) continue
    for (const name of MODELS) if (isObject(request[name])) open.push(request[name])
  }
  let isChanged = false
  for (let one = open.pop(); one !== undefined; one = open.pop()) {
    for (const name of Object.keys(one)) {
      const part = one[name]
      if (typeof part !== 'object' || part === null) continue
      const other = replacement(part)
      if (other === undefined) open.push(part as Fields)
      else {
        one[name] = other
        isChanged = true
      }
    }
  }
  return isChanged
}
