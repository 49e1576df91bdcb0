// Dialog that asks for the name of a new domain.

import { Button, Group, Modal, Stack, Text, TextInput } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { useNavigate } from 'react-router'
import { ProblemError } from '../../client.ts'
import { ActionButton } from '../../parts/action-button.tsx'
import { ErrorNotice } from '../../parts/error-notice.tsx'
import { common } from '../../texts/en/common.ts'
import { domains as words } from '../../texts/en/domains.ts'
import { fill } from '../../texts/texts.ts'
import { addDomain, domainQuery } from './calls.ts'
import { domainIn, withoutWww } from './domain-in.ts'

interface AddDomainProps {
  readonly opened: boolean
  readonly onClose: () => void
}

export function AddDomain({ opened, onClose }: AddDomainProps) {
  const [name, setName] = useState('')
  const queries = useQueryClient()
  const navigate = useNavigate()
  const add = useMutation({
    mutationFn: () => addDomain(domainIn(name)),
    onSuccess: (domain) => {
      queries.setQueryData(domainQuery(domain.domain_id).queryKey, domain)
      void queries.invalidateQueries({ queryKey: ['domains'] })
      navigate(`/domains/${domain.domain_id}/dns`)
    },
  })
  const close = () => {
    add.reset()
    onClose()
  }
  const submit = (event: FormEvent) => {
    event.preventDefault()
    add.mutate()
  }
  return (
    <Modal opened={opened} onClose={close} title={words.add}>
      <form onSubmit={submit}>
        <Stack>
          <TextInput
            label={words.domain}
            description={words.addHint}
            placeholder="example.com"
            required
            data-autofocus
            autoComplete="off"
            autoCapitalize="none"
            spellCheck={false}
            value={name}
            error={add.error instanceof ProblemError ? add.error.field('domain') : undefined}
            onChange={(event) => setName(event.currentTarget.value)}
          />
          <Reading typed={name} onChange={setName} />
          <ErrorNotice error={add.error} except={['domain']} />
          <Group justify="flex-end">
            <Button variant="default" onClick={close}>
              {common.cancel}
            </Button>
            <ActionButton type="submit" loading={add.isPending}>
              {words.addAction}
            </ActionButton>
          </Group>
        </Stack>
      </form>
    </Modal>
  )
}

interface ReadingProps {
  readonly typed: string
  readonly onChange: (domain: string) => void
}

/** Shows the domain that is read from a URL or an address, and offers the domain without `www`. */
function Reading({ typed, onChange }: ReadingProps) {
  const domain = domainIn(typed)
  const offered = withoutWww(domain)
  return (
    <div role="status">
      {domain !== '' && domain !== typed.trim() && <Text fz="sm">{fill(words.willAdd, { domain })}</Text>}
      {offered !== undefined && (
        <Group gap="xs" mt={4}>
          <Text fz="sm" flex="1 1 12rem">
            {fill(words.wwwHint, { domain, offered })}
          </Text>
          <Button variant="default" size="xs" onClick={() => onChange(offered)}>
            {fill(words.useInstead, { domain: offered })}
          </Button>
        </Group>
      )}
    </div>
  )
}
