// Makes a passkey: the service asks, the browser makes it, the service keeps its public half.

import type { PublicKeyCredentialCreationOptionsJSON } from '@simplewebauthn/browser'
import { post } from '../../client.ts'

/** Throws what can be shown. */
export async function addPasskey(name: string): Promise<void> {
  const { startRegistration, WebAuthnError } = await import('@simplewebauthn/browser')
  const optionsJSON = await post<PublicKeyCredentialCreationOptionsJSON>('/api/me/passkeys/options', {})
  let response: unknown
  try {
    response = await startRegistration({ optionsJSON })
  } catch (error) {
    if (error instanceof WebAuthnError && error.code === 'ERROR_AUTHENTICATOR_PREVIOUSLY_REGISTERED') {
      throw new Error('This device already has a passkey for your account.')
    }
    if (error instanceof WebAuthnError || error instanceof DOMException || error instanceof Error) {
      throw new Error('No passkey was created. Browsers create passkeys only over https or on localhost.')
    }
    throw error
  }
  await post('/api/me/passkeys', { response: response as object, name })
}
