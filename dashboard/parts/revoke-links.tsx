// Button that revokes all shared links to an object.

import { useMutation } from '@tanstack/react-query'
import { remove } from '../client.ts'
import { tables } from '../texts/en/tables.ts'
import { ActionButton } from './action-button.tsx'
import { tell } from './tell.ts'

/**
 * Button that revokes shared links.
 * @param address URL of the endpoint that revokes the links
 */
export function RevokeLinks({ address, onDone }: { readonly address: string; readonly onDone: () => void }) {
  const revoking = useMutation({
    mutationFn: () => remove(address),
    onSuccess: () => {
      tell.done(tables.linksRevoked)
      onDone()
    },
    onError: tell.problem,
  })
  return (
    <ActionButton variant="subtle" color="red" loading={revoking.isPending} onClick={() => revoking.mutate()}>
      {tables.revokeLinks}
    </ActionButton>
  )
}
