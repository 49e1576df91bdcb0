// Dialog that erases an address from all domains of the account after the user has typed the address.

import { Button } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { path, post } from '../../client.ts'
import { ConfirmByName } from '../../parts/confirm-by-name.tsx'
import { tell } from '../../parts/tell.ts'
import { addresses as words } from '../../texts/en/addresses.ts'
import { domainsQuery } from '../domains/calls.ts'

export function EraseAddress({ email }: { readonly email: string }) {
  const [opened, { open, close }] = useDisclosure()
  const queries = useQueryClient()
  const erase = useMutation({
    mutationFn: async () => {
      // The dialog fetches the domains again: a list that is still loading is empty, and no data would be erased.
      const { data: domains } = await queries.fetchQuery({ ...domainsQuery, staleTime: 0 })
      for (const { domain_id } of domains) await post(path`/api/domains/${domain_id}/erasures`, { email })
    },
    onSuccess: async () => {
      await queries.invalidateQueries({ queryKey: ['addresses'] })
      tell.done(words.erased)
      close()
    },
  })
  return (
    <>
      <Button variant="default" onClick={open}>
        {words.erase}
      </Button>
      <ConfirmByName
        opened={opened}
        onClose={() => {
          erase.reset()
          close()
        }}
        title={words.eraseQuestion}
        name={email}
        action={words.erase}
        busy={erase.isPending}
        error={erase.error}
        onConfirm={() => erase.mutate()}
      >
        {words.eraseHint}
      </ConfirmByName>
    </>
  )
}
