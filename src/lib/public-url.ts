// The public URL of an installation, and checks whether links in mail work with it.

import { isLoopback } from './setting-kinds.ts'

/** The settings that links depend on. */
export interface PublicUrlSettings {
  readonly mode: 'playground' | 'production'
  readonly publicUrl: string | undefined
}

/**
 * Public URL of the installation: the setting, otherwise the address that the HTTP server listens on. The node
 * creates one and passes it to all parts that write links.
 */
export class PublicUrl {
  /** True if the settings name the URL. */
  readonly isConfigured: boolean
  readonly #hostName: string | undefined
  readonly #known = Promise.withResolvers<string>()
  #value: string | undefined

  /**
   * @param hostName replaces a listening address that means all addresses of this machine, which other machines
   * cannot open
   */
  constructor(configured?: string, hostName?: string) {
    this.isConfigured = configured !== undefined
    this.#hostName = hostName
    if (configured !== undefined) this.#set(configured)
  }

  /** The URL without a final slash; empty until the URL is known. */
  get value(): string {
    return this.#value ?? ''
  }

  /** Resolves as soon as the URL is known: at the latest when the HTTP server listens. */
  known(): Promise<string> {
    return this.#known.promise
  }

  /** Notes the address that the HTTP server listens on. */
  listensAt(url: string): void {
    if (!this.isConfigured) this.#set(this.#hostName === undefined ? url : named(url, this.#hostName))
  }

  #set(url: string): void {
    this.#value = url
    this.#known.resolve(url)
  }
}

const isAnyAddress = (host: string): boolean => host === '0.0.0.0' || host === '::'
const hostOf = (url: URL): string => url.hostname.replace(/^\[|\]$/g, '')

function named(url: string, hostName: string): string {
  const listening = new URL(url)
  return isAnyAddress(hostOf(listening)) ? `${listening.protocol}//${hostName}:${listening.port || 80}` : url
}

/** Returns in words why links only work on this machine; undefined when they work elsewhere, and in the playground. */
export function unreachableLinks({ mode, publicUrl }: PublicUrlSettings): string | undefined {
  if (mode === 'playground') return undefined
  if (publicUrl === undefined) return 'POSTRIDER_PUBLIC_URL is not set'
  const host = hostOf(new URL(publicUrl))
  const reachable = !isLoopback(host) && !isAnyAddress(host)
  return reachable
    ? undefined
    : `POSTRIDER_PUBLIC_URL is ${publicUrl}, which leads everybody to their own machine`
}

/** The same for unsubscribe links, which have to be https (RFC 8058 §3.1). */
export function unreachableUnsubscribing(settings: PublicUrlSettings): string | undefined {
  const { mode, publicUrl } = settings
  if (mode === 'playground' || publicUrl === undefined || publicUrl.startsWith('https:')) {
    return unreachableLinks(settings)
  }
  return `POSTRIDER_PUBLIC_URL is ${publicUrl}, which is not https`
}
