// The public URL of an installation, and checks whether links in mail work with the URL.

import { isLoopback } from './setting-kinds.ts'

/** Settings that links in mail depend on. */
export interface PublicUrlSettings {
  readonly mode: 'playground' | 'production'
  readonly publicUrl: string | undefined
}

/**
 * Public URL of the installation: the setting, otherwise the address on which the HTTP server listens. Each node
 * creates one instance, which all parts that write links share.
 */
export class PublicUrl {
  /** True if the settings name the URL. */
  readonly isConfigured: boolean
  readonly #hostName: string | undefined
  readonly #known = Promise.withResolvers<string>()
  #value: string | undefined

  /** @param hostName replaces a wildcard listening address such as `0.0.0.0`, which other machines cannot open */
  constructor(configured?: string, hostName?: string) {
    this.isConfigured = configured !== undefined
    this.#hostName = hostName
    if (configured !== undefined) this.#set(configured)
  }

  /** The public URL without a trailing slash; empty until the URL is known. */
  get value(): string {
    return this.#value ?? ''
  }

  /** Resolves as soon as the public URL is known, at the latest when the HTTP server listens. */
  known(): Promise<string> {
    return this.#known.promise
  }

  /** Stores the address on which the HTTP server listens. */
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

/**
 * Returns a phrase with the reason why links work only on this machine; undefined if links work elsewhere, and in the
 * playground.
 */
export function unreachableLinks({ mode, publicUrl }: PublicUrlSettings): string | undefined {
  if (mode === 'playground') return undefined
  if (publicUrl === undefined) return 'POSTRIDER_PUBLIC_URL is not set'
  const host = hostOf(new URL(publicUrl))
  const reachable = !isLoopback(host) && !isAnyAddress(host)
  return reachable
    ? undefined
    : `POSTRIDER_PUBLIC_URL is ${publicUrl}, which leads every reader to their own machine`
}

/** Does the same as `unreachableLinks` for unsubscribe links, which must use https (RFC 8058 §3.1). */
export function unreachableUnsubscribing(settings: PublicUrlSettings): string | undefined {
  const { mode, publicUrl } = settings
  if (mode === 'playground' || publicUrl === undefined || publicUrl.startsWith('https:')) {
    return unreachableLinks(settings)
  }
  return `POSTRIDER_PUBLIC_URL is ${publicUrl}, which is not https`
}
