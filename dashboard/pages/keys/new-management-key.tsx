// Form for a new management key: scopes, grants, domains, networks and expiry.

import { Button, Checkbox, Group, Radio, Select, Stack, Textarea, TextInput } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { ProblemError } from '../../client.ts'
import { ActionButton } from '../../parts/action-button.tsx'
import { ErrorNotice } from '../../parts/error-notice.tsx'
import { Loading } from '../../parts/loading.tsx'
import { common } from '../../texts/en/common.ts'
import { keys } from '../../texts/en/keys.ts'
import { managementKeys as words } from '../../texts/en/management-keys.ts'
import { domainsQuery } from '../domains/calls.ts'
import {
  createManagementKey,
  credentialsQuery,
  type GivenScopes,
  type KeyMade,
  MANAGEMENT_KEYS,
  type Scope,
  scopesQuery,
} from './calls.ts'
import { EXPIRIES } from './expiries.ts'
import {
  bodyOf,
  createsKeys,
  EMPTY,
  type Filled,
  fieldOf,
  messagesAt,
  SHOWN,
  scopesOf,
} from './filled-key.ts'
import { MadeKey } from './made-key.tsx'
import { ScopeChoice } from './scope-choice.tsx'
import { SecretDialog } from './secret-dialog.tsx'

interface NewManagementKeyProps {
  readonly opened: boolean
  readonly onClose: () => void
}

export function NewManagementKey({ opened, onClose }: NewManagementKeyProps) {
  const { data: given, error, refetch } = useQuery({ ...scopesQuery, enabled: opened })
  return (
    <SecretDialog<KeyMade>
      opened={opened}
      onClose={onClose}
      titles={[words.new, words.yours]}
      size="lg"
      form={(onMade, close) =>
        given !== undefined ? (
          <Form given={given} onMade={onMade} onClose={close} />
        ) : error !== null ? (
          <ErrorNotice error={error} again={refetch} />
        ) : (
          <Loading />
        )
      }
      shown={(made) => <MadeKey made={made} />}
    />
  )
}

/** Part of the form that shows some fields and changes them. */
interface FieldsProps {
  readonly filled: Filled
  readonly change: (change: Partial<Filled>) => void
  /** Returns the problems of a field and of its members. */
  readonly problem: (field: string) => string | undefined
}

interface ScopesProps {
  readonly given: GivenScopes
  /** Ready-made sets that the user may give. */
  readonly sets: GivenScopes['sets']
}

interface GrantsProps {
  readonly given: GivenScopes
  /** Scopes of the key. */
  readonly scopes: readonly Scope[]
}

interface FormProps {
  readonly given: GivenScopes
  readonly onMade: (made: KeyMade) => void
  readonly onClose: () => void
}

function Form({ given, onMade, onClose }: FormProps) {
  const sets = given.sets.filter(({ scopes }) => scopes.every((one) => given.scopes.includes(one)))
  const [filled, setFilled] = useState<Filled>({ ...EMPTY, set: sets[0]?.name ?? 'own' })
  const queries = useQueryClient()
  const scopes = scopesOf(filled, given)
  const creating = useMutation({
    mutationFn: () => createManagementKey(bodyOf(filled, scopes)),
    onSuccess: (made) => {
      onMade(made)
      void queries.invalidateQueries({ queryKey: credentialsQuery(MANAGEMENT_KEYS).queryKey })
    },
  })
  const errors = creating.error instanceof ProblemError ? creating.error.errors : []
  const fields: FieldsProps = {
    filled,
    change: (change) => setFilled({ ...filled, ...change }),
    problem: (field) => messagesAt(errors, field, filled),
  }
  const submit = (event: FormEvent) => {
    event.preventDefault()
    creating.mutate()
  }
  return (
    <form onSubmit={submit}>
      <Stack>
        <TextInput
          label={keys.name}
          description={keys.nameHint}
          value={filled.name}
          onChange={(event) => fields.change({ name: event.currentTarget.value })}
          error={fields.problem('name')}
          maxLength={100}
          required
          data-autofocus
        />
        <Scopes sets={sets} given={given} {...fields} />
        {createsKeys(scopes) && <Grants given={given} scopes={scopes} {...fields} />}
        <Domains {...fields} />
        <Textarea
          label={words.networks}
          description={words.networksHint}
          value={filled.networks}
          onChange={(event) => fields.change({ networks: event.currentTarget.value })}
          error={fields.problem('networks')}
          autosize
          minRows={2}
          maxRows={8}
        />
        <Select
          label={keys.expiry}
          data={EXPIRIES.map((value) => ({ value, label: keys.expiries[value] }))}
          value={filled.days}
          onChange={(days) => fields.change({ days: days ?? EMPTY.days })}
          error={fields.problem('expires_at')}
          allowDeselect={false}
        />
        <ErrorNotice
          error={creating.error}
          except={errors.map(({ path }) => path).filter((path) => SHOWN.has(fieldOf(path)))}
        />
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            {common.cancel}
          </Button>
          <ActionButton type="submit" loading={creating.isPending}>
            {words.create}
          </ActionButton>
        </Group>
      </Stack>
    </form>
  )
}

/** Choice of a ready-made set or of single scopes. */
function Scopes({ sets, given, filled, change, problem }: FieldsProps & ScopesProps) {
  return (
    <>
      <Radio.Group
        label={words.scopes}
        value={filled.set}
        onChange={(set) => change({ set: set as Filled['set'] })}
        error={filled.set === 'own' ? undefined : problem('scopes')}
      >
        <Stack gap="xs" mt={4}>
          {[...sets.map(({ name }) => name), 'own' as const].map((name) => (
            <Radio
              key={name}
              value={name}
              label={words.sets[name].name}
              description={words.sets[name].hint}
            />
          ))}
        </Stack>
      </Radio.Group>
      {filled.set === 'own' && (
        <ScopeChoice
          label={words.sets.own.name}
          scopes={given.scopes}
          chosen={filled.scopes}
          change={(chosen) => change({ scopes: chosen })}
          error={problem('scopes')}
        />
      )}
    </>
  )
}

/** Choice of the scopes that the key may give to other keys. */
function Grants({ given, scopes, filled, change }: FieldsProps & GrantsProps) {
  return (
    <>
      <Radio.Group
        label={words.grants}
        description={words.grantsHint}
        value={filled.grants}
        onChange={(grants) => change({ grants: grants as Filled['grants'] })}
      >
        <Stack gap="xs" mt={4}>
          <Radio
            value="usual"
            label={words.grantChoices[scopes.includes('accounts:write') ? 'usualOfPlatform' : 'usual']}
          />
          <Radio value="none" label={words.grantChoices.none} />
          <Radio value="own" label={words.grantChoices.own} />
        </Stack>
      </Radio.Group>
      {filled.grants === 'own' && (
        <ScopeChoice
          label={words.grantChoices.own}
          scopes={given.scopes}
          chosen={filled.granted}
          change={(granted) => change({ granted })}
        />
      )}
    </>
  )
}

/** Choice of the domains that the key works on. */
function Domains({ filled, change }: FieldsProps) {
  const { data } = useQuery(domainsQuery)
  return (
    <>
      <Radio.Group
        label={words.domains}
        value={filled.domains}
        onChange={(domains) => change({ domains: domains as Filled['domains'] })}
      >
        <Stack gap="xs" mt={4}>
          <Radio value="every" label={words.everyDomain} description={words.everyDomainHint} />
          <Radio value="some" label={words.someDomains} />
        </Stack>
      </Radio.Group>
      {filled.domains === 'some' && (
        <Checkbox.Group
          label={words.someDomains}
          value={[...filled.chosen]}
          onChange={(chosen: string[]) => change({ chosen })}
        >
          <Stack gap="xs" mt={4} mah={200} style={{ overflowY: 'auto' }}>
            {data?.data.map(({ domain_id: id, domain_unicode: name }) => (
              <Checkbox key={id} value={id} size="xs" label={name} />
            ))}
          </Stack>
        </Checkbox.Group>
      )}
    </>
  )
}
