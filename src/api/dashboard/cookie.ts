// The cookie that holds a session's token.

import type { FastifyReply } from 'fastify'
import { LONGEST_MS } from '../../access/sessions.ts'

export const SESSION_COOKIE = 'postrider_session'

const options = (publicUrl: string) =>
  ({ httpOnly: true, sameSite: 'lax', path: '/', secure: publicUrl.startsWith('https:') }) as const

export function setSessionCookie(reply: FastifyReply, token: string, publicUrl: string): void {
  reply.setCookie(SESSION_COOKIE, token, { ...options(publicUrl), maxAge: LONGEST_MS / 1_000 })
}

export function clearSessionCookie(reply: FastifyReply, publicUrl: string): void {
  reply.clearCookie(SESSION_COOKIE, options(publicUrl))
}
