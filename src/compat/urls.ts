// Finds the service whose form a request has: by the path `/compat/<name>`, by the name of the host, or by a versioned
// path at the root.

import type { IncomingMessage } from 'node:http'
import type { CompatibleService } from '../lib/setting-kinds.ts'
import type { Vendor } from './declaration.ts'

/** Beginning of the paths of all services. */
export const BASE = '/compat'

/** Parts of the known paths, as a tree; a parameter has the name `:`. */
interface Step {
  /** Text of a fixed part as declared. */
  readonly text: string
  readonly next: Map<string, Step>
}

const stepOf = (text: string): Step => ({ text, next: new Map() })

/** Maximum number of parts of a path that is looked up. */
const MAX_PARTS = 20

/** Hosts and paths at which the calls of the services are served, in addition to `/compat/<name>`. */
export interface Places {
  /** Services by the name of the host at whose root they are served. */
  readonly hosts: ReadonlyMap<string, CompatibleService>
  /** True to serve versioned paths at the root of every host. */
  readonly isAtRoot: boolean
}

/** Returns the URL under which a request is served. */
export class CompatibleUrls {
  readonly #places: Places
  readonly #trees = new Map<string, Step>()
  /** URLs that are as they are declared, without parameters, which most requests to send have. */
  readonly #exact = new Set<string>()
  readonly #atRoot: readonly (NonNullable<Vendor['atRoot']> & { readonly name: CompatibleService })[]

  constructor(vendors: readonly Vendor[], places: Places) {
    this.#places = places
    this.#atRoot = places.isAtRoot
      ? vendors.flatMap(({ name, atRoot }) => (atRoot === undefined ? [] : [{ ...atRoot, name }]))
      : []
    for (const { name, calls } of vendors) {
      const tree = stepOf('')
      for (const { path } of calls) {
        addPath(tree, path)
        if (!path.includes(':')) this.#exact.add(`${BASE}/${name}${path}`)
      }
      this.#trees.set(name, tree)
    }
  }

  /** Returns the URL of a request; the URL below `/compat/<name>` for a request in the form of a service. */
  readonly rewrite = (request: IncomingMessage): string => {
    const url = request.url ?? '/'
    if (this.#places.hosts.size === 0 && this.#exact.has(url)) return url
    const found = this.#find(request, url)
    if (found === undefined) return url
    const [name, rest] = found
    const at = rest.indexOf('?')
    const path = at < 0 ? rest : rest.slice(0, at)
    return `${BASE}/${name}${this.#declared(name, path)}${at < 0 ? '' : rest.slice(at)}`
  }

  /** Returns the service of a request, and the URL within the service. */
  #find({ headers }: IncomingMessage, url: string): readonly [name: string, rest: string] | undefined {
    const { hosts } = this.#places
    if (hosts.size > 0 && headers.host !== undefined) {
      const name = hosts.get(headers.host.replace(/:\d*$/, '').toLowerCase())
      if (name !== undefined) return url.startsWith('/.well-known/') ? undefined : [name, url]
    }
    if (url.startsWith(`${BASE}/`)) {
      const [, name = '', rest = ''] = /^\/compat\/([^/?]*)(.*)$/s.exec(url) ?? []
      return this.#trees.has(name.toLowerCase()) ? [name.toLowerCase(), rest] : undefined
    }
    if (this.#atRoot.length === 0 || url.charCodeAt(1) !== LETTER_V || url.startsWith(OUR_PATHS))
      return undefined
    const able = this.#atRoot.filter(({ paths }) => paths.some((path) => url.startsWith(path)))
    if (able.length === 0) return undefined
    const scheme = /^\w+/.exec(headers.authorization ?? '')?.[0].toLowerCase()
    const meant = able.find((one) => one.scheme === scheme) ?? able[0]
    return meant && [meant.name, url]
  }

  /** Returns a path as it is declared, whatever case its fixed parts have; an unknown path without trailing slashes. */
  #declared(name: string, path: string): string {
    const parts = path.split('/').filter((part) => part !== '')
    const tree = this.#trees.get(name)
    const found = tree === undefined || parts.length > MAX_PARTS ? undefined : walk(tree, parts, 0)
    return `/${(found ?? parts).join('/')}`
  }
}

const LETTER_V = 'v'.charCodeAt(0)
/** Beginning of the paths of Postrider's own API, which no service has at the root. */
const OUR_PATHS = '/v1/'

function addPath(tree: Step, path: string): void {
  let step = tree
  for (const text of path.split('/').filter((part) => part !== '')) {
    const key = text.startsWith(':') ? ':' : text.toLowerCase()
    let next = step.next.get(key)
    if (next === undefined) {
      next = stepOf(text)
      step.next.set(key, next)
    }
    step = next
  }
}

/** Returns the declared path of some parts; a fixed part is tried before a parameter. */
function walk({ next }: Step, parts: readonly string[], at: number): string[] | undefined {
  const part = parts[at]
  if (part === undefined) return []
  const fixed = part === ':' ? undefined : next.get(part.toLowerCase())
  const rest = fixed && walk(fixed, parts, at + 1)
  if (fixed !== undefined && rest !== undefined) return [fixed.text, ...rest]
  const parameter = next.get(':')
  const other = parameter && walk(parameter, parts, at + 1)
  return other && [part, ...other]
}
