// Creates a passkey: the service sends the options, the browser creates the passkey, and the service stores its public
// key.

import type { PublicKeyCredentialCreationOptionsJSON } from '@simplewebauthn/browser'
import { post } from '../../client.ts'
import { account as words } from '../../texts/en/account.ts'

/** Adds a passkey to the current user; throws errors that a page can show. */
export async function addPasskey(name: string): Promise<void> {
  const { startRegistration, WebAuthnError } = await import('@simplewebauthn/browser')
  const optionsJSON = await post<PublicKeyCredentialCreationOptionsJSON>('/api/me/passkeys/options', {})
  let response: unknown
  try {
    response = await startRegistration({ optionsJSON })
  } catch (error) {
    if (error instanceof WebAuthnError && error.code === 'ERROR_AUTHENTICATOR_PREVIOUSLY_REGISTERED') {
      throw new Error(words.passkeys.known)
    }
    if (error instanceof WebAuthnError || error instanceof DOMException || error instanceof Error) {
      throw new Error(words.passkeys.notCreated)
    }
    throw error
  }
  await post('/api/me/passkeys', { response: response as object, name })
}
