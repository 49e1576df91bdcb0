// Checks that links in mail can be followed: the address that people reach an installation at, as the settings say it.

import { isLoopback } from './setting-kinds.ts'

/** The settings that links follow from. */
export interface PublicUrlSettings {
  readonly mode: 'playground' | 'production'
  readonly publicUrl: string | undefined
}

/** Says in words why nobody elsewhere can follow a link of ours; undefined when they can, and in the playground. */
export function unreachableLinks({ mode, publicUrl }: PublicUrlSettings): string | undefined {
  if (mode === 'playground') return undefined
  if (publicUrl === undefined) return 'POSTRIDER_PUBLIC_URL is not set'
  const host = new URL(publicUrl).hostname.replace(/^\[|\]$/g, '')
  const reachable = !isLoopback(host) && host !== '0.0.0.0' && host !== '::'
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
