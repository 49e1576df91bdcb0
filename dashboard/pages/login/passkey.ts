// Login with a passkey: the service sends a challenge, and the browser signs it.

import type { PublicKeyCredentialRequestOptionsJSON } from '@simplewebauthn/browser'
import { post } from '../../client.ts'
import type { Session } from '../../session.ts'
import { login } from '../../texts/en/login.ts'

/** Logs in with a passkey; throws errors that a page can show. */
export async function logInWithPasskey(): Promise<Session> {
  const { startAuthentication, WebAuthnError } = await import('@simplewebauthn/browser')
  const optionsJSON = await post<PublicKeyCredentialRequestOptionsJSON>('/api/session/passkey/options', {})
  try {
    const response = await startAuthentication({ optionsJSON })
    return await post<Session>('/api/session/passkey', { response })
  } catch (error) {
    if (error instanceof WebAuthnError || error instanceof DOMException) {
      throw new Error(login.noPasskey)
    }
    throw error
  }
}
