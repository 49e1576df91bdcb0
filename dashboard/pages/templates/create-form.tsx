// Form for a new template or layout: empty, from a starter, or a duplicate of another one.

import { Group, Radio, SimpleGrid, Stack, TextInput } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { useNavigate } from 'react-router'
import { ProblemError } from '../../client.ts'
import { ActionButton } from '../../parts/action-button.tsx'
import { ErrorNotice } from '../../parts/error-notice.tsx'
import { templates as words } from '../../texts/en/templates.ts'
import { aliasFor } from './alias-for.ts'
import { BLANK } from './blank-starters.ts'
import { create, type Noun, type SaveBody } from './calls.ts'
import { STARTERS } from './starters.ts'

interface CreateFormProps {
  readonly noun: Noun
  readonly domainId: string
  /** Content of the duplicated template or layout, with a new name. */
  readonly original?: SaveBody
}

export function CreateForm({ noun, domainId, original }: CreateFormProps) {
  const queries = useQueryClient()
  const navigate = useNavigate()
  const [starter, setStarter] = useState('')
  const [typedName, setName] = useState<string>()
  const [alias, setAlias] = useState<string>()
  const begun = STARTERS.find((one) => one.alias === starter)
  const name = typedName ?? original?.name ?? (begun && words.starterNames[begun.alias]) ?? ''
  const given = alias ?? (typedName === undefined && begun !== undefined ? begun.alias : aliasFor(name))
  const creating = useMutation({
    mutationFn: () => {
      const content = original ?? begun ?? BLANK[noun]
      return create(noun, domainId, { ...content, name: name.trim(), alias: given || null })
    },
    onSuccess: ({ id }) => {
      void queries.invalidateQueries({ queryKey: ['domains', domainId, `${noun}s`] })
      navigate(`/domains/${domainId}/${noun}s/${id}`)
    },
  })
  const problem = (path: string) =>
    creating.error instanceof ProblemError ? creating.error.field(path) : undefined
  const submit = (event: FormEvent) => {
    event.preventDefault()
    creating.mutate()
  }
  return (
    <form onSubmit={submit}>
      <Stack>
        {noun === 'template' && original === undefined && (
          <StarterChoice value={starter} onChange={setStarter} />
        )}
        <TextInput
          label={words.name}
          value={name}
          onChange={(event) => setName(event.currentTarget.value)}
          error={problem('name')}
          data-autofocus
          required
          maxLength={200}
        />
        <TextInput
          label={words.alias}
          description={words[noun].aliasHint}
          value={given}
          onChange={(event) => setAlias(event.currentTarget.value)}
          error={problem('alias')}
          spellCheck={false}
          maxLength={100}
        />
        <ErrorNotice error={creating.error} except={['name', 'alias']} />
        <Group justify="flex-end">
          <ActionButton type="submit" loading={creating.isPending}>
            {words.create}
          </ActionButton>
        </Group>
      </Stack>
    </form>
  )
}

interface StarterChoiceProps {
  readonly value: string
  readonly onChange: (alias: string) => void
}

function StarterChoice({ value, onChange }: StarterChoiceProps) {
  return (
    <Radio.Group label={words.beginWith} value={value} onChange={onChange}>
      <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="xs" mt="xs">
        <Radio value="" label={words.blank} description={words.blankHint} />
        {STARTERS.map(({ alias }) => (
          <Radio
            key={alias}
            value={alias}
            label={words.starterNames[alias]}
            description={words.starters[alias]}
          />
        ))}
      </SimpleGrid>
    </Radio.Group>
  )
}
