// Erases an address from every domain of the account, after its name was typed.

import { Button } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { path, post } from '../../client.ts'
import { ConfirmByName } from '../../parts/confirm-by-name.tsx'
import { tell } from '../../parts/tell.ts'
import { domainsQuery } from '../domains/calls.ts'

export function EraseAddress({ email }: { readonly email: string }) {
  const [opened, { open, close }] = useDisclosure()
  const queries = useQueryClient()
  const domains = useQuery(domainsQuery).data?.data ?? []
  const erase = useMutation({
    mutationFn: async () => {
      for (const { domain_id } of domains) await post(path`/api/domains/${domain_id}/erasures`, { email })
    },
    onSuccess: async () => {
      await queries.invalidateQueries({ queryKey: ['addresses'] })
      tell.done('The address was erased.')
      close()
    },
  })
  return (
    <>
      <Button variant="default" onClick={open}>
        Erase
      </Button>
      <ConfirmByName
        opened={opened}
        onClose={close}
        title="Erase this address?"
        name={email}
        action="Erase"
        busy={erase.isPending}
        error={erase.error}
        onConfirm={() => erase.mutate()}
      >
        Removes the messages to this recipient with their events and attempts from all domains. Suppressions
        stay as a hash, so that nothing is sent to the address again. This cannot be undone.
      </ConfirmByName>
    </>
  )
}
