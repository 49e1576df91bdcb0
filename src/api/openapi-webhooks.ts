// Describes the requests that the service sends to webhooks, for the section `webhooks` of the OpenAPI document.

const header = (name: string, description: string): object => ({
  name,
  in: 'header',
  required: true,
  description,
  schema: { type: 'string' },
})

/** Returns the webhooks of the OpenAPI document; `document` has the shape of events among its components. */
export function webhooksOf(document: object): object {
  const { components } = document as {
    readonly components: { readonly schemas: Readonly<Record<string, unknown>> }
  }
  if (!('Event' in components.schemas)) return {}
  return {
    event: {
      post: {
        operationId: 'webhooks.receive',
        tags: ['Webhooks'],
        summary: 'Event in the format `standard`',
        description:
          'Respond with any 2xx status within ten seconds. A webhook with a `batch_size` above 1 receives an array of these objects.',
        parameters: [
          header('webhook-id', 'ID of the event, the same in every attempt'),
          header('webhook-timestamp', 'Time of the attempt, in seconds since 1970'),
          header('webhook-signature', 'Signatures of `id.timestamp.body` (Standard Webhooks)'),
        ],
        requestBody: {
          required: true,
          content: {
            'application/json': {
              schema: {
                type: 'object',
                required: ['type', 'timestamp', 'data'],
                properties: {
                  type: { type: 'string', description: 'Type of the event' },
                  timestamp: { type: 'string', format: 'date-time', description: 'Time of the event' },
                  data: { $ref: '#/components/schemas/Event' },
                },
              },
            },
          },
        },
        responses: { '2XX': { description: 'Accepted; the event is not sent again' } },
      },
    },
  }
}
