// Asks for the name of a new domain.

import { Button, Group, Modal, Stack, TextInput } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { useNavigate } from 'react-router'
import { ProblemError } from '../../client.ts'
import { ErrorNotice } from '../../parts/error-notice.tsx'
import { addDomain, domainQuery } from './calls.ts'

interface AddDomainProps {
  readonly opened: boolean
  readonly onClose: () => void
}

export function AddDomain({ opened, onClose }: AddDomainProps) {
  const [name, setName] = useState('')
  const queries = useQueryClient()
  const navigate = useNavigate()
  const add = useMutation({
    mutationFn: () => addDomain(domainOf(name)),
    onSuccess: (domain) => {
      queries.setQueryData(domainQuery(domain.domain_id).queryKey, domain)
      void queries.invalidateQueries({ queryKey: ['domains'] })
      navigate(`/domains/${domain.domain_id}/dns`)
    },
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    add.mutate()
  }
  return (
    <Modal opened={opened} onClose={onClose} title="Add a domain">
      <form onSubmit={submit}>
        <Stack>
          <TextInput
            label="Domain"
            description="The part after the @ in your sender addresses. A subdomain such as mail.example.com has a reputation of its own."
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
          <ErrorNotice error={add.error} except={['domain']} />
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose}>
              Cancel
            </Button>
            <Button type="submit" loading={add.isPending}>
              Add domain
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  )
}

/** The domain in what was typed or pasted: `https://example.com/`, `me@example.com`. */
const domainOf = (typed: string): string =>
  typed
    .trim()
    .replace(/^[a-z][a-z0-9+.-]*:\/\//i, '')
    .replace(/[/?#].*$/s, '')
    .replace(/^.*@/s, '')
    .replace(/:\d+$/, '')
