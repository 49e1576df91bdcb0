// Public URL of an installation, and checks that links in mail can be followed by it.

import { isLoopback } from './setting-kinds.ts'

/** The settings that links follow from. */
export interface PublicUrlSettings {
  readonly mode: 'playground' | 'production'
  readonly publicUrl: string | undefined
}

/**
 * Public URL of the installation: the setting, else the address that the HTTP server listens on. The node makes one and
 * hands it on to all parts that write links.
 */
export class PublicUrl {
  /** The settings name it. */
  readonly isConfigured: boolean
  readonly #hostName: string | undefined
  readonly #known = Promise.withResolvers<string>()
  #value: string | undefined

  /** @param hostName stands in for a listening address that means all of this machine's, and that no other machine can open */
  constructor(configured?: string, hostName?: string) {
    this.isConfigured = configured !== undefined
    this.#hostName = hostName
    if (configured !== undefined) this.#set(configured)
  }

  /** Without a final slash; empty until it is known. */
  get value(): string {
    return this.#value ?? ''
  }

  /** Settles as soon as it is known: at the latest when the HTTP server listens. */
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

/**
 * Says in words why a link of ours works on this machine only; undefined when it works elsewhere, and in the
 * playground.
 */
export function unreachableLinks({ mode, publicUrl }: PublicUrlSettings): string | undefined {
  if (mode === 'playground') return undefined
  if (publicUrl === undefined) return 'POSTRIDER_PUBLIC_URL is not set'
  const host = hostOf(new URL(publicUrl))
  const reachable = !isLoopback(host) && !isAnyAddress(host)
  return reachable
    ? undefined
    : `POSTRIDER_PUBLIC_URL is ${publicUrl}, which leads everybody to their own machine`
}

/** The same of links for unsubscribing, which have to be https (RFC 8058 §3.1). */
export function unreachableUnsubscribing(settings: PublicUrlSettings): string | undefined {
  const { mode, publicUrl } = settings
  if (mode === 'playground' || publicUrl === undefined || publicUrl.startsWith('https:')) {
    return unreachableLinks(settings)
  }
  return `POSTRIDER_PUBLIC_URL is ${publicUrl}, which is not https`
}
