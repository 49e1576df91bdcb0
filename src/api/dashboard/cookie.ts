// Cookies with the token of a session and with the token of a known device.

import type { FastifyReply, FastifyRequest } from 'fastify'
import { KNOWN_MS } from '../../access/known-devices.ts'
import type { Client } from '../../access/login.ts'
import { MAX_MS } from '../../access/sessions.ts'

/**
 * Returns the name of the session cookie. Browsers accept a `__Host-` cookie only over https and from the host itself,
 * so that no other host of the domain can plant a session cookie (RFC 6265bis §4.1.3.2).
 */
export const sessionCookie = (publicUrl: string): string =>
  publicUrl.startsWith('https:') ? '__Host-postrider_session' : 'postrider_session'

/** Returns the name of the cookie that marks a device that has logged in before. */
const deviceCookie = (publicUrl: string): string =>
  publicUrl.startsWith('https:') ? '__Host-postrider_device' : 'postrider_device'

const options = (publicUrl: string) =>
  ({ httpOnly: true, sameSite: 'lax', path: '/', secure: publicUrl.startsWith('https:') }) as const

export function setSessionCookie(reply: FastifyReply, token: string, publicUrl: string): void {
  reply.setCookie(sessionCookie(publicUrl), token, { ...options(publicUrl), maxAge: MAX_MS / 1_000 })
}

export function setDeviceCookie(reply: FastifyReply, token: string, publicUrl: string): void {
  reply.setCookie(deviceCookie(publicUrl), token, { ...options(publicUrl), maxAge: KNOWN_MS / 1_000 })
}

export function clearSessionCookie(reply: FastifyReply, publicUrl: string): void {
  reply.clearCookie(sessionCookie(publicUrl), options(publicUrl))
}

/** Returns the client of a login: its IP address, and the token of a device that has logged in before. */
export const clientOf = ({ ip, cookies }: FastifyRequest, publicUrl: string): Client => ({
  address: ip,
  device: cookies[deviceCookie(publicUrl)],
})
