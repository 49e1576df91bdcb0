// The operations that the tools call, generated from docs/openapi.json by `npm run sdk`.

type Schema = Readonly<Record<string, unknown>>

/** Scopes, arguments and response of each operation, by its ID. */
export const OPERATIONS: Readonly<Record<string, {
  readonly scopes: readonly string[]
  readonly input: { readonly properties?: Readonly<Record<string, Schema>>; readonly required?: readonly string[] }
  readonly output?: Schema
}>> = {
 "explain.get": {
  "scopes": [
   "messages:read"
  ],
  "input": {
   "properties": {
    "email": {
     "type": "string",
     "minLength": 1,
     "maxLength": 400,
     "description": "Address of the recipient; case-insensitive"
    },
    "message_id": {
     "type": "string",
     "minLength": 1,
     "maxLength": 100
    },
    "subject": {
     "type": "string",
     "minLength": 1,
     "maxLength": 200,
     "description": "Words of the subject, or their beginnings"
    },
    "after": {
     "type": "string",
     "minLength": 1,
     "description": "Submitted at or after this time (RFC 3339)"
    },
    "domain": {
     "type": "string",
     "minLength": 1,
     "maxLength": 300,
     "description": "Sending domain, by name or ID"
    }
   },
   "required": [
    "email"
   ]
  },
  "output": {
   "$ref": "#/$defs/Explanation"
  }
 },
 "messages.list": {
  "scopes": [
   "messages:read"
  ],
  "input": {
   "properties": {
    "limit": {
     "type": "integer",
     "minimum": 1,
     "maximum": 200,
     "default": 50,
     "description": "Maximum number of items"
    },
    "cursor": {
     "type": "string",
     "description": "The `next_cursor` of the previous page"
    },
    "status": {
     "enum": [
      "scheduled",
      "queued",
      "sending",
      "delivered",
      "partially_delivered",
      "bounced",
      "suppressed",
      "failed",
      "cancelled"
     ]
    },
    "recipient_status": {
     "enum": [
      "scheduled",
      "queued",
      "sending",
      "deferred",
      "delivered",
      "bounced",
      "suppressed",
      "failed",
      "cancelled"
     ],
     "description": "Status of at least one recipient; `deferred` finds messages that will be tried again"
    },
    "recipient": {
     "type": "string",
     "maxLength": 400,
     "description": "Address of a recipient or its beginning; case-insensitive"
    },
    "tag": {
     "type": "string",
     "maxLength": 255,
     "description": "One of the tags of the message"
    },
    "stream": {
     "type": "string",
     "maxLength": 64
    },
    "subject": {
     "type": "string",
     "maxLength": 200,
     "description": "Words of the subject or their beginnings; only the first 16 words count"
    },
    "after": {
     "type": "string",
     "description": "Created at or after this time (RFC 3339)"
    },
    "before": {
     "type": "string",
     "description": "Created before this time (RFC 3339)"
    },
    "format": {
     "enum": [
      "json",
      "csv"
     ],
     "description": "csv: one file with a line for each recipient of the newest 100,000 messages; `Accept: text/csv` has the same effect"
    },
    "domain": {
     "type": "string",
     "maxLength": 300,
     "description": "For a key of several domains: the domain, by name or ID"
    }
   },
   "required": []
  },
  "output": {
   "$ref": "#/$defs/MessageList"
  }
 },
 "suppressions.list": {
  "scopes": [
   "suppressions:read"
  ],
  "input": {
   "properties": {
    "limit": {
     "type": "integer",
     "minimum": 1,
     "maximum": 200,
     "default": 50,
     "description": "Maximum number of items"
    },
    "cursor": {
     "type": "string",
     "description": "The `next_cursor` of the previous page"
    },
    "stream": {
     "type": "string",
     "maxLength": 100,
     "description": "Alias of a stream, or `*`"
    },
    "reason": {
     "enum": [
      "hard_bounce",
      "complaint",
      "unsubscribe",
      "manual"
     ]
    },
    "origin": {
     "enum": [
      "recipient",
      "customer"
     ]
    },
    "email": {
     "type": "string",
     "maxLength": 400,
     "description": "Complete address or its beginning; case-insensitive"
    },
    "after": {
     "type": "string",
     "description": "Created at or after this time (RFC 3339)"
    },
    "before": {
     "type": "string",
     "description": "Created before this time (RFC 3339)"
    },
    "format": {
     "enum": [
      "json",
      "csv"
     ],
     "description": "csv: one file with all suppressions; `Accept: text/csv` has the same effect"
    },
    "domain": {
     "type": "string",
     "maxLength": 300,
     "description": "For a key of several domains: the domain, by name or ID"
    }
   },
   "required": []
  },
  "output": {
   "$ref": "#/$defs/SuppressionList"
  }
 },
 "messages.get": {
  "scopes": [
   "messages:read"
  ],
  "input": {
   "properties": {
    "include": {
     "type": "string",
     "enum": [
      "content"
     ],
     "description": "Adds html, text, headers and raw_url; requires the scope `content:read`"
    },
    "domain": {
     "type": "string",
     "maxLength": 300,
     "description": "For a key of several domains: the domain, by name or ID"
    },
    "message_id": {
     "type": "string",
     "maxLength": 100
    }
   },
   "required": [
    "message_id"
   ]
  },
  "output": {
   "$ref": "#/$defs/Message"
  }
 },
 "events.list": {
  "scopes": [
   "messages:read"
  ],
  "input": {
   "properties": {
    "limit": {
     "type": "integer",
     "minimum": 1,
     "maximum": 200,
     "default": 50,
     "description": "Maximum number of items"
    },
    "cursor": {
     "type": "string",
     "description": "The `next_cursor` of the previous page"
    },
    "order": {
     "enum": [
      "desc",
      "asc"
     ],
     "default": "desc",
     "description": "`desc`: newest first; `asc`: oldest first, for following the events"
    },
    "type": {
     "type": "string",
     "maxLength": 400,
     "description": "One or more types, separated by commas: accepted, scheduled, sending, delivered, deferred, bounced, failed, suppressed, cancelled, opened, clicked, complained, unsubscribed, received, incident_opened, incident_closed, listed, delisted, report_received, key_due, key_switched"
    },
    "message_id": {
     "type": "string",
     "maxLength": 100
    },
    "recipient": {
     "type": "string",
     "maxLength": 400,
     "description": "Complete address of the recipient"
    },
    "stream": {
     "type": "string",
     "maxLength": 64
    },
    "tag": {
     "type": "string",
     "maxLength": 255,
     "description": "One of the tags of the message"
    },
    "after": {
     "type": "string",
     "description": "At or after this time (RFC 3339)"
    },
    "before": {
     "type": "string",
     "description": "Before this time (RFC 3339)"
    },
    "domain": {
     "type": "string",
     "maxLength": 300,
     "description": "For a key of several domains: the domain, by name or ID"
    }
   },
   "required": []
  },
  "output": {
   "$ref": "#/$defs/EventList"
  }
 },
 "stats.get": {
  "scopes": [
   "stats:read"
  ],
  "input": {
   "properties": {
    "from": {
     "type": "string",
     "description": "Beginning (RFC 3339); by default one day before `to`, or thirty days with `by=day`"
    },
    "to": {
     "type": "string",
     "description": "End, exclusive (RFC 3339); now by default"
    },
    "by": {
     "enum": [
      "hour",
      "day"
     ],
     "default": "hour",
     "description": "Length of a bucket"
    },
    "utc_offset": {
     "type": "string",
     "maxLength": 6,
     "description": "UTC offset of the beginning of days, in whole hours, such as `+02:00`; UTC by default"
    },
    "stream": {
     "type": "string",
     "maxLength": 100
    },
    "tag": {
     "type": "string",
     "maxLength": 255,
     "description": "First tag of the messages, by which they are counted; cannot be combined with `provider`"
    },
    "provider": {
     "type": "string",
     "maxLength": 64,
     "description": "Receiving provider such as `Gmail`, named as in the groups of `group_by`"
    },
    "group_by": {
     "enum": [
      "stream",
      "tag",
      "provider"
     ]
    },
    "domain": {
     "type": "string",
     "maxLength": 300,
     "description": "For a key of several domains: the domain, by name or ID"
    }
   },
   "required": []
  },
  "output": {
   "$ref": "#/$defs/Stats"
  }
 },
 "account.getUsage": {
  "scopes": [
   "account:read"
  ],
  "input": {
   "properties": {
    "from": {
     "type": "string",
     "description": "Beginning (RFC 3339), moved back to the beginning of its day or month; by default 30 days or 12 months ago"
    },
    "to": {
     "type": "string",
     "description": "End, exclusive (RFC 3339), moved to the end of its day or month; now by default"
    },
    "by": {
     "enum": [
      "day",
      "month"
     ],
     "default": "day",
     "description": "Length of a period, in UTC"
    },
    "group": {
     "enum": [
      "domain",
      "stream"
     ],
     "description": "One entry for each domain or stream of a period"
    }
   },
   "required": []
  },
  "output": {
   "$ref": "#/$defs/Usage"
  }
 },
 "domains.list": {
  "scopes": [
   "domains:read"
  ],
  "input": {
   "properties": {
    "limit": {
     "type": "integer",
     "minimum": 1,
     "maximum": 200,
     "default": 50,
     "description": "Maximum number of items"
    },
    "cursor": {
     "type": "string",
     "description": "The `next_cursor` of the previous page"
    },
    "name": {
     "type": "string",
     "maxLength": 300,
     "description": "The whole name of the domain, in A-labels or U-labels"
    },
    "status": {
     "enum": [
      "pending",
      "verified",
      "paused"
     ]
    }
   },
   "required": []
  },
  "output": {
   "$ref": "#/$defs/DomainList"
  }
 },
 "domains.get": {
  "scopes": [
   "domains:read"
  ],
  "input": {
   "properties": {
    "domain": {
     "type": "string",
     "maxLength": 300,
     "description": "The domain, by ID or by name in A-labels or U-labels"
    }
   },
   "required": [
    "domain"
   ]
  },
  "output": {
   "$ref": "#/$defs/Domain"
  }
 },
 "templates.list": {
  "scopes": [
   "templates:read"
  ],
  "input": {
   "properties": {
    "limit": {
     "type": "integer",
     "minimum": 1,
     "maximum": 200,
     "default": 50,
     "description": "Maximum number of items"
    },
    "cursor": {
     "type": "string",
     "description": "The `next_cursor` of the previous page"
    },
    "name": {
     "type": "string",
     "maxLength": 300,
     "description": "The whole name of the object"
    },
    "domain": {
     "type": "string",
     "maxLength": 300,
     "description": "For a key of several domains: the domain, by name or ID"
    }
   },
   "required": []
  },
  "output": {
   "$ref": "#/$defs/TemplateList"
  }
 },
 "templates.get": {
  "scopes": [
   "templates:read"
  ],
  "input": {
   "properties": {
    "domain": {
     "type": "string",
     "maxLength": 300,
     "description": "For a key of several domains: the domain, by name or ID"
    },
    "id_or_alias": {
     "type": "string",
     "minLength": 1,
     "maxLength": 100
    }
   },
   "required": [
    "id_or_alias"
   ]
  },
  "output": {
   "$ref": "#/$defs/Template"
  }
 },
 "templates.render": {
  "scopes": [
   "templates:read"
  ],
  "input": {
   "properties": {
    "domain": {
     "type": "string",
     "maxLength": 300,
     "description": "For a key of several domains: the domain, by name or ID"
    },
    "id_or_alias": {
     "type": "string",
     "minLength": 1,
     "maxLength": 100
    },
    "template_model": {
     "type": "object",
     "properties": {},
     "additionalProperties": true,
     "description": "Variables"
    },
    "layout": {
     "type": "string",
     "maxLength": 100,
     "description": "Alias or ID of a layout that replaces the layout of the template, or `none`"
    }
   },
   "required": [
    "id_or_alias"
   ]
  },
  "output": {
   "$ref": "#/$defs/Rendered"
  }
 },
 "webhooks.list": {
  "scopes": [
   "webhooks:read"
  ],
  "input": {
   "properties": {
    "limit": {
     "type": "integer",
     "minimum": 1,
     "maximum": 200,
     "default": 50,
     "description": "Maximum number of items"
    },
    "cursor": {
     "type": "string",
     "description": "The `next_cursor` of the previous page"
    },
    "name": {
     "type": "string",
     "maxLength": 300,
     "description": "The whole name of the object"
    },
    "domain": {
     "type": "string",
     "maxLength": 300,
     "description": "For a key of several domains: the domain, by name or ID"
    }
   },
   "required": []
  },
  "output": {
   "$ref": "#/$defs/WebhookList"
  }
 },
 "webhooks.deliveries.list": {
  "scopes": [
   "webhooks:read"
  ],
  "input": {
   "properties": {
    "limit": {
     "type": "integer",
     "minimum": 1,
     "maximum": 200,
     "default": 50,
     "description": "Maximum number of items"
    },
    "cursor": {
     "type": "string",
     "description": "The `next_cursor` of the previous page"
    },
    "status": {
     "enum": [
      "pending",
      "delivered",
      "failed"
     ],
     "description": "Only deliveries with this status"
    },
    "message_id": {
     "type": "string",
     "maxLength": 100,
     "description": "Only deliveries with a first event of this message"
    },
    "recipient": {
     "type": "string",
     "minLength": 1,
     "maxLength": 400,
     "description": "Only deliveries with a first event of this address, within the newest 200 messages to the address"
    },
    "domain": {
     "type": "string",
     "maxLength": 300,
     "description": "For a key of several domains: the domain, by name or ID"
    },
    "webhook_id": {
     "type": "string",
     "maxLength": 100
    }
   },
   "required": [
    "webhook_id"
   ]
  },
  "output": {
   "$ref": "#/$defs/WebhookDeliveryList"
  }
 },
 "operator.queue.list": {
  "scopes": [
   "operator:read"
  ],
  "input": {
   "properties": {
    "limit": {
     "type": "integer",
     "minimum": 1,
     "maximum": 200,
     "default": 50,
     "description": "Maximum number of items"
    },
    "cursor": {
     "type": "string",
     "description": "The `next_cursor` of the previous page"
    }
   },
   "required": []
  },
  "output": {
   "$ref": "#/$defs/Queue"
  }
 },
 "verifications.verifyEmailDetailed": {
  "scopes": [
   "verifications:check"
  ],
  "input": {
   "properties": {
    "email": {
     "type": "string",
     "minLength": 1,
     "description": "Address to verify, URL-encoded: write + as %2B"
    }
   },
   "required": [
    "email"
   ]
  },
  "output": {
   "$ref": "#/$defs/DetailedVerification"
  }
 },
 "suppressions.add": {
  "scopes": [
   "suppressions:write"
  ],
  "input": {
   "properties": {
    "column": {
     "type": "string",
     "minLength": 1,
     "maxLength": 200,
     "description": "Table only: column of the addresses; required without a usual name such as `email`"
    },
    "domain": {
     "type": "string",
     "maxLength": 300,
     "description": "For a key of several domains: the domain, by name or ID"
    },
    "email": {
     "type": "string",
     "maxLength": 400,
     "description": "Email address"
    },
    "stream": {
     "type": "string",
     "maxLength": 100,
     "description": "Alias of the stream, or `*` for all streams; default: transactional"
    },
    "reason": {
     "enum": [
      "hard_bounce",
      "complaint",
      "unsubscribe",
      "manual"
     ],
     "description": "Reason for the suppression; default: manual"
    },
    "suppressions": {
     "type": "array",
     "items": {
      "type": "object",
      "required": [
       "email"
      ],
      "properties": {
       "email": {
        "type": "string",
        "maxLength": 400,
        "description": "Email address"
       },
       "stream": {
        "type": "string",
        "maxLength": 100,
        "description": "Alias of the stream, or `*` for all streams; default: transactional"
       },
       "reason": {
        "enum": [
         "hard_bounce",
         "complaint",
         "unsubscribe",
         "manual"
        ],
        "description": "Reason for the suppression; default: manual"
       }
      },
      "additionalProperties": false
     },
     "minItems": 1,
     "maxItems": 100000,
     "description": "Many suppressions; invalid entries are reported, and all other entries are added"
    }
   },
   "required": []
  },
  "output": {
   "anyOf": [
    {
     "$ref": "#/$defs/SuppressionsAdded"
    },
    {
     "$ref": "#/$defs/Suppression"
    }
   ]
  }
 },
 "suppressions.delete": {
  "scopes": [
   "suppressions:write"
  ],
  "input": {
   "properties": {
    "stream": {
     "type": "string",
     "maxLength": 100,
     "description": "Alias of the stream; default: transactional"
    },
    "force": {
     "type": "boolean",
     "description": "True to remove a complaint as well"
    },
    "domain": {
     "type": "string",
     "maxLength": 300,
     "description": "For a key of several domains: the domain, by name or ID"
    },
    "email": {
     "type": "string",
     "maxLength": 400
    }
   },
   "required": [
    "email"
   ]
  }
 },
 "messages.cancel": {
  "scopes": [
   "messages:write"
  ],
  "input": {
   "properties": {
    "domain": {
     "type": "string",
     "maxLength": 300,
     "description": "For a key of several domains: the domain, by name or ID"
    },
    "message_id": {
     "type": "string",
     "maxLength": 100
    }
   },
   "required": [
    "message_id"
   ]
  },
  "output": {
   "$ref": "#/$defs/Message"
  }
 },
 "messages.retry": {
  "scopes": [
   "messages:write"
  ],
  "input": {
   "properties": {
    "domain": {
     "type": "string",
     "maxLength": 300,
     "description": "For a key of several domains: the domain, by name or ID"
    },
    "message_id": {
     "type": "string",
     "maxLength": 100
    }
   },
   "required": [
    "message_id"
   ]
  },
  "output": {
   "$ref": "#/$defs/RetryAnswer"
  }
 },
 "templates.replace": {
  "scopes": [
   "templates:write"
  ],
  "input": {
   "properties": {
    "domain": {
     "type": "string",
     "maxLength": 300,
     "description": "For a key of several domains: the domain, by name or ID"
    },
    "id_or_alias": {
     "type": "string",
     "minLength": 1,
     "maxLength": 100
    },
    "alias": {
     "anyOf": [
      {
       "type": "string",
       "maxLength": 100
      },
      {
       "type": "null"
      }
     ],
     "description": "a text of at most 100 characters or null: an alias: a letter, then letters, digits, \".\", \"-\", \"_\""
    },
    "name": {
     "type": "string",
     "minLength": 1,
     "maxLength": 200,
     "description": "Name for display"
    },
    "subject": {
     "anyOf": [
      {
       "type": "string",
       "maxLength": 100000
      },
      {
       "type": "null"
      }
     ],
     "description": "a text of at most 100,000 characters or null: the subject; without it, every send request has to contain a subject"
    },
    "html": {
     "anyOf": [
      {
       "type": "string",
       "maxLength": 100000
      },
      {
       "type": "null"
      }
     ],
     "description": "a text of at most 100,000 characters or null: the HTML part"
    },
    "text": {
     "anyOf": [
      {
       "type": "string",
       "maxLength": 100000
      },
      {
       "type": "null"
      }
     ],
     "description": "a text of at most 100,000 characters or null: the text part; without it the text is made from the HTML"
    },
    "layout": {
     "anyOf": [
      {
       "type": "string",
       "maxLength": 100
      },
      {
       "type": "null"
      }
     ],
     "description": "a text of at most 100 characters or null: alias or ID of the layout around the template, or `none`"
    },
    "required": {
     "type": "array",
     "items": {
      "type": "string",
      "minLength": 1,
      "maxLength": 200
     },
     "maxItems": 100,
     "description": "Paths that every model must contain, such as `order.items` or `items.[0].title`"
    },
    "inline_css": {
     "type": "boolean",
     "description": "True to move the CSS of style elements into style attributes"
    },
    "sample_model": {
     "anyOf": [
      {
       "type": "object",
       "properties": {},
       "additionalProperties": true
      },
      {
       "type": "null"
      }
     ],
     "description": "an object of at most 100,000 characters as JSON or null: the model for previews and test messages, which stays if a replacement omits it"
    },
    "replaces_version": {
     "type": "integer",
     "minimum": 1,
     "description": "Number of the version that this version is based on; the response is 409 if a newer version exists"
    }
   },
   "required": [
    "id_or_alias",
    "name"
   ]
  },
  "output": {
   "$ref": "#/$defs/Template"
  }
 },
 "webhooks.replay": {
  "scopes": [
   "webhooks:write"
  ],
  "input": {
   "properties": {
    "domain": {
     "type": "string",
     "maxLength": 300,
     "description": "For a key of several domains: the domain, by name or ID"
    },
    "webhook_id": {
     "type": "string",
     "maxLength": 100
    },
    "from": {
     "type": "string",
     "description": "Beginning of the time range (RFC 3339)"
    },
    "until": {
     "type": "string",
     "description": "End of the time range (RFC 3339); now by default"
    }
   },
   "required": [
    "webhook_id",
    "from"
   ]
  },
  "output": {
   "$ref": "#/$defs/Webhook"
  }
 },
 "messages.send": {
  "scopes": [
   "messages:send"
  ],
  "input": {
   "properties": {
    "domain": {
     "type": "string",
     "maxLength": 300,
     "description": "For a key of several domains: the domain, by name or ID"
    },
    "from": {
     "type": "string",
     "description": "Sender address in the domain of the key"
    },
    "from_name": {
     "type": "string",
     "maxLength": 998,
     "description": "Display name of the sender"
    },
    "to": {
     "type": "array",
     "items": {
      "$ref": "#/$defs/Mailbox"
     },
     "minItems": 1,
     "maxItems": 50,
     "description": "Recipients"
    },
    "cc": {
     "type": "array",
     "items": {
      "$ref": "#/$defs/Mailbox"
     },
     "maxItems": 50,
     "description": "Cc recipients; to, cc and bcc together have at most 50 recipients"
    },
    "bcc": {
     "type": "array",
     "items": {
      "$ref": "#/$defs/Mailbox"
     },
     "maxItems": 50,
     "description": "Bcc recipients, who get the message and appear in no header"
    },
    "reply_to": {
     "anyOf": [
      {
       "$ref": "#/$defs/Mailbox"
      },
      {
       "type": "array",
       "items": {
        "$ref": "#/$defs/Mailbox"
       },
       "minItems": 1,
       "maxItems": 50
      }
     ],
     "description": "a mailbox `{ email, name }` or an array of them"
    },
    "subject": {
     "type": "string",
     "minLength": 1,
     "description": "Subject of at most 998 bytes; required unless a template contains a subject"
    },
    "html": {
     "type": "string",
     "description": "HTML part; without a template, at least one of html and text is required"
    },
    "text": {
     "type": "string",
     "description": "Plain-text part"
    },
    "headers": {
     "type": "object",
     "description": "Custom header fields by name, at most 50; fields that the service writes itself are refused",
     "additionalProperties": {
      "type": "string"
     }
    },
    "attachments": {
     "type": "array",
     "items": {
      "$ref": "#/$defs/Attachment"
     },
     "maxItems": 200,
     "description": "Files to attach"
    },
    "stream": {
     "type": "string",
     "maxLength": 100,
     "description": "Alias of the stream; default: transactional"
    },
    "tag": {
     "type": "string",
     "maxLength": 64,
     "description": "Label by which messages can be found and counted"
    },
    "tags": {
     "type": "array",
     "items": {
      "type": "string",
      "minLength": 1,
      "maxLength": 255
     },
     "maxItems": 10,
     "description": "Several labels, instead of `tag`: each finds the message, and statistics count the first"
    },
    "metadata": {
     "type": "object",
     "description": "Your own data, at most 50 keys and 16 KiB; returned with the message, which is found by the values of the first 10 keys",
     "additionalProperties": {
      "type": "string"
     }
    },
    "require_tls": {
     "type": "boolean",
     "description": "True to require TLS and a verified certificate; the message is deferred until a host has both. Default: false"
    },
    "track_opens": {
     "type": "boolean",
     "description": "True to track opens of the HTML part; by default the stream or the domain decides"
    },
    "track_links": {
     "type": "boolean",
     "description": "True to track clicks on links of the HTML part; by default the stream or the domain decides"
    },
    "guard": {
     "enum": [
      "off",
      "warn",
      "refuse"
     ],
     "description": "Effect of the check of this message; by default the stream or the domain decides. `off`: messages are not checked. `warn`: a message is accepted, and the response and the `accepted` events have `warnings`. `refuse`: a message with an error is refused with `content_refused`"
    },
    "send_at": {
     "type": "string",
     "format": "date-time",
     "description": "Time to send the message (RFC 3339; seconds may be omitted), at most 30 days ahead. The message is `scheduled` until then. A time up to one minute in the past counts as now."
    },
    "template_id": {
     "type": "string",
     "maxLength": 100,
     "description": "ID of the template that provides subject, html and text"
    },
    "template_alias": {
     "type": "string",
     "maxLength": 100,
     "description": "Alias of the template, instead of template_id"
    },
    "layout": {
     "type": "string",
     "maxLength": 100,
     "description": "Alias or ID of a layout that replaces the layout of the template, or `none`"
    },
    "template_model": {
     "type": "object",
     "properties": {},
     "additionalProperties": true,
     "description": "Variables of the template; ignored without a template. Numbers are printed as written: 1.10, 123456789123456789"
    }
   },
   "required": [
    "from",
    "to"
   ]
  },
  "output": {
   "$ref": "#/$defs/SendAnswer"
  }
 }
}

/** Named schemas. */
export const SCHEMAS: Readonly<Record<string, Schema>> = {
 "Explanation": {
  "type": "object",
  "required": [
   "email",
   "asked",
   "verdict",
   "sure",
   "summary",
   "because",
   "next_step",
   "messages",
   "looked_at"
  ],
  "properties": {
   "email": {
    "type": "string"
   },
   "asked": {
    "type": "object",
    "required": [
     "message_id",
     "subject",
     "after",
     "domain"
    ],
    "properties": {
     "message_id": {
      "anyOf": [
       {
        "type": "string"
       },
       {
        "type": "null"
       }
      ]
     },
     "subject": {
      "anyOf": [
       {
        "type": "string"
       },
       {
        "type": "null"
       }
      ]
     },
     "after": {
      "anyOf": [
       {
        "$ref": "#/$defs/Timestamp"
       },
       {
        "type": "null"
       }
      ]
     },
     "domain": {
      "anyOf": [
       {
        "type": "string"
       },
       {
        "type": "null"
       }
      ]
     }
    }
   },
   "verdict": {
    "$ref": "#/$defs/Verdict"
   },
   "sure": {
    "type": "boolean"
   },
   "summary": {
    "type": "string"
   },
   "because": {
    "type": "array",
    "items": {
     "type": "object",
     "required": [
      "at",
      "fact",
      "text",
      "values",
      "refers_to"
     ],
     "properties": {
      "at": {
       "anyOf": [
        {
         "$ref": "#/$defs/Timestamp"
        },
        {
         "type": "null"
        }
       ]
      },
      "fact": {
       "type": "string"
      },
      "text": {
       "type": "string"
      },
      "values": {
       "type": "object",
       "additionalProperties": {
        "type": "string"
       }
      },
      "refers_to": {
       "anyOf": [
        {
         "type": "string"
        },
        {
         "type": "null"
        }
       ]
      }
     }
    }
   },
   "next_step": {
    "anyOf": [
     {
      "type": "object",
      "required": [
       "code",
       "text",
       "operation",
       "args"
      ],
      "properties": {
       "code": {
        "enum": [
         "send_message",
         "use_similar_address",
         "name_domain",
         "correct_request",
         "remove_suppression",
         "verify_address",
         "resume_domain",
         "look_again",
         "look_at_message",
         "look_at_bulk",
         "ask_recipient"
        ]
       },
       "text": {
        "type": "string"
       },
       "operation": {
        "type": "string"
       },
       "args": {
        "type": "object",
        "additionalProperties": {}
       }
      }
     },
     {
      "type": "null"
     }
    ]
   },
   "messages": {
    "type": "array",
    "items": {
     "type": "object",
     "required": [
      "message_id",
      "domain_id",
      "domain",
      "stream",
      "subject",
      "status",
      "verdict",
      "created_at"
     ],
     "properties": {
      "message_id": {
       "type": "string"
      },
      "domain_id": {
       "type": "string"
      },
      "domain": {
       "type": "string"
      },
      "stream": {
       "type": "string"
      },
      "subject": {
       "type": "string"
      },
      "status": {
       "type": "string"
      },
      "verdict": {
       "$ref": "#/$defs/Verdict"
      },
      "created_at": {
       "$ref": "#/$defs/Timestamp"
      }
     }
    }
   },
   "looked_at": {
    "type": "array",
    "items": {
     "type": "string"
    }
   }
  }
 },
 "Timestamp": {
  "type": "string",
  "format": "date-time"
 },
 "Verdict": {
  "enum": [
   "erased",
   "never_asked",
   "refused_at_the_door",
   "cancelled",
   "held",
   "scheduled",
   "suppressed",
   "bounced_afterwards",
   "refused",
   "given_up",
   "waiting",
   "delivered_by_receiver",
   "test"
  ]
 },
 "MessageList": {
  "type": "object",
  "required": [
   "data",
   "next_cursor"
  ],
  "properties": {
   "data": {
    "type": "array",
    "items": {
     "$ref": "#/$defs/MessageSummary"
    }
   },
   "next_cursor": {
    "anyOf": [
     {
      "type": "string"
     },
     {
      "type": "null"
     }
    ]
   }
  }
 },
 "MessageSummary": {
  "type": "object",
  "required": [
   "message_id",
   "message_id_header",
   "status",
   "stream",
   "from",
   "from_name",
   "subject",
   "tag",
   "tags",
   "metadata",
   "to",
   "cc",
   "bcc",
   "send_at",
   "created_at",
   "updated_at",
   "size"
  ],
  "properties": {
   "domain": {
    "type": "string"
   },
   "domain_id": {
    "type": "string"
   },
   "message_id": {
    "type": "string"
   },
   "message_id_header": {
    "type": "string"
   },
   "status": {
    "enum": [
     "scheduled",
     "queued",
     "sending",
     "delivered",
     "partially_delivered",
     "bounced",
     "suppressed",
     "failed",
     "cancelled"
    ]
   },
   "stream": {
    "type": "string"
   },
   "from": {
    "type": "string"
   },
   "from_name": {
    "anyOf": [
     {
      "type": "string"
     },
     {
      "type": "null"
     }
    ]
   },
   "subject": {
    "type": "string"
   },
   "tag": {
    "anyOf": [
     {
      "type": "string"
     },
     {
      "type": "null"
     }
    ]
   },
   "tags": {
    "type": "array",
    "items": {
     "type": "string"
    }
   },
   "metadata": {
    "type": "object",
    "additionalProperties": {
     "type": "string"
    }
   },
   "to": {
    "type": "array",
    "items": {
     "$ref": "#/$defs/MessageRecipient"
    }
   },
   "cc": {
    "type": "array",
    "items": {
     "$ref": "#/$defs/MessageRecipient"
    }
   },
   "bcc": {
    "type": "array",
    "items": {
     "$ref": "#/$defs/MessageRecipient"
    }
   },
   "send_at": {
    "anyOf": [
     {
      "$ref": "#/$defs/Timestamp"
     },
     {
      "type": "null"
     }
    ]
   },
   "created_at": {
    "$ref": "#/$defs/Timestamp"
   },
   "updated_at": {
    "$ref": "#/$defs/Timestamp"
   },
   "size": {
    "type": "integer"
   },
   "test": {
    "type": "boolean",
    "enum": [
     true
    ]
   },
   "inbox_id": {
    "type": "string"
   },
   "tracking": {
    "type": "object",
    "required": [
     "opens",
     "links"
    ],
    "properties": {
     "opens": {
      "type": "boolean"
     },
     "links": {
      "type": "boolean"
     },
     "skipped": {
      "enum": [
       "signed",
       "encrypted",
       "structure",
       "encoding",
       "too_large",
       "html"
      ]
     }
    }
   },
   "warnings": {
    "type": "array",
    "items": {
     "$ref": "#/$defs/Warning"
    }
   },
   "footer": {
    "type": "object",
    "required": [
     "skipped"
    ],
    "properties": {
     "skipped": {
      "enum": [
       "signed",
       "encrypted",
       "structure",
       "encoding",
       "too_large",
       "html"
      ]
     }
    }
   }
  }
 },
 "MessageRecipient": {
  "type": "object",
  "required": [
   "email",
   "name",
   "status",
   "last_event_at"
  ],
  "properties": {
   "email": {
    "type": "string"
   },
   "name": {
    "anyOf": [
     {
      "type": "string"
     },
     {
      "type": "null"
     }
    ]
   },
   "status": {
    "enum": [
     "scheduled",
     "queued",
     "sending",
     "deferred",
     "delivered",
     "bounced",
     "suppressed",
     "failed",
     "cancelled"
    ]
   },
   "last_event_at": {
    "$ref": "#/$defs/Timestamp"
   },
   "smtp_code": {
    "type": "integer"
   },
   "smtp_response": {
    "type": "string"
   },
   "mx": {
    "type": "string"
   },
   "next_attempt_at": {
    "type": "string",
    "format": "date-time"
   },
   "held": {
    "$ref": "#/$defs/Held"
   }
  }
 },
 "Held": {
  "type": "object",
  "required": [
   "by",
   "cause",
   "value",
   "since",
   "reason"
  ],
  "properties": {
   "by": {
    "enum": [
     "operator",
     "account",
     "stream",
     "domain"
    ]
   },
   "cause": {
    "enum": [
     "account_suspended",
     "domain_paused",
     "domain_paused_by_operator",
     "stream_paused",
     "destination_paused",
     "restored"
    ]
   },
   "value": {
    "type": "string"
   },
   "since": {
    "$ref": "#/$defs/Timestamp"
   },
   "reason": {
    "type": "string"
   }
  }
 },
 "Warning": {
  "type": "object",
  "required": [
   "code",
   "severity",
   "path",
   "message"
  ],
  "properties": {
   "code": {
    "enum": [
     "link_local",
     "link_invalid",
     "link_placeholder",
     "link_dead",
     "placeholder",
     "secret",
     "from_disguised",
     "not_aligned",
     "recipient_dead",
     "recipient_suppressed",
     "subject_empty",
     "unsubscribe_missing",
     "message_large",
     "clipped",
     "css_unsupported",
     "html_unsupported",
     "link_insecure",
     "link_mismatch",
     "link_shortener",
     "image_weight",
     "image_only",
     "image_data",
     "text_missing",
     "text_differs",
     "dmarc_missing",
     "recipient_misspelt",
     "spam_rule",
     "image_alt",
     "subject_long",
     "address_missing",
     "recipient_role"
    ]
   },
   "severity": {
    "enum": [
     "error",
     "warning",
     "hint"
    ]
   },
   "path": {
    "type": "string"
   },
   "line": {
    "type": "integer"
   },
   "column": {
    "type": "integer"
   },
   "message": {
    "type": "string"
   }
  }
 },
 "SuppressionList": {
  "type": "object",
  "required": [
   "data",
   "next_cursor"
  ],
  "properties": {
   "data": {
    "type": "array",
    "items": {
     "$ref": "#/$defs/Suppression"
    }
   },
   "next_cursor": {
    "anyOf": [
     {
      "type": "string"
     },
     {
      "type": "null"
     }
    ]
   }
  }
 },
 "Suppression": {
  "type": "object",
  "required": [
   "suppression_id",
   "email",
   "stream",
   "reason",
   "origin",
   "message_id",
   "created_at"
  ],
  "properties": {
   "domain": {
    "type": "string"
   },
   "domain_id": {
    "type": "string"
   },
   "suppression_id": {
    "type": "string"
   },
   "email": {
    "type": "string"
   },
   "stream": {
    "type": "string"
   },
   "reason": {
    "enum": [
     "hard_bounce",
     "complaint",
     "unsubscribe",
     "manual"
    ]
   },
   "origin": {
    "enum": [
     "recipient",
     "customer"
    ]
   },
   "message_id": {
    "anyOf": [
     {
      "type": "string"
     },
     {
      "type": "null"
     }
    ]
   },
   "created_at": {
    "$ref": "#/$defs/Timestamp"
   }
  }
 },
 "Message": {
  "type": "object",
  "required": [
   "message_id",
   "message_id_header",
   "status",
   "stream",
   "from",
   "from_name",
   "subject",
   "tag",
   "tags",
   "metadata",
   "to",
   "cc",
   "bcc",
   "send_at",
   "created_at",
   "updated_at",
   "size",
   "key",
   "events"
  ],
  "properties": {
   "domain": {
    "type": "string"
   },
   "domain_id": {
    "type": "string"
   },
   "message_id": {
    "type": "string"
   },
   "message_id_header": {
    "type": "string"
   },
   "status": {
    "enum": [
     "scheduled",
     "queued",
     "sending",
     "delivered",
     "partially_delivered",
     "bounced",
     "suppressed",
     "failed",
     "cancelled"
    ]
   },
   "stream": {
    "type": "string"
   },
   "from": {
    "type": "string"
   },
   "from_name": {
    "anyOf": [
     {
      "type": "string"
     },
     {
      "type": "null"
     }
    ]
   },
   "subject": {
    "type": "string"
   },
   "tag": {
    "anyOf": [
     {
      "type": "string"
     },
     {
      "type": "null"
     }
    ]
   },
   "tags": {
    "type": "array",
    "items": {
     "type": "string"
    }
   },
   "metadata": {
    "type": "object",
    "additionalProperties": {
     "type": "string"
    }
   },
   "to": {
    "type": "array",
    "items": {
     "$ref": "#/$defs/MessageRecipient"
    }
   },
   "cc": {
    "type": "array",
    "items": {
     "$ref": "#/$defs/MessageRecipient"
    }
   },
   "bcc": {
    "type": "array",
    "items": {
     "$ref": "#/$defs/MessageRecipient"
    }
   },
   "send_at": {
    "anyOf": [
     {
      "$ref": "#/$defs/Timestamp"
     },
     {
      "type": "null"
     }
    ]
   },
   "created_at": {
    "$ref": "#/$defs/Timestamp"
   },
   "updated_at": {
    "$ref": "#/$defs/Timestamp"
   },
   "size": {
    "type": "integer"
   },
   "test": {
    "type": "boolean",
    "enum": [
     true
    ]
   },
   "inbox_id": {
    "type": "string"
   },
   "tracking": {
    "type": "object",
    "required": [
     "opens",
     "links"
    ],
    "properties": {
     "opens": {
      "type": "boolean"
     },
     "links": {
      "type": "boolean"
     },
     "skipped": {
      "enum": [
       "signed",
       "encrypted",
       "structure",
       "encoding",
       "too_large",
       "html"
      ]
     }
    }
   },
   "warnings": {
    "type": "array",
    "items": {
     "$ref": "#/$defs/Warning"
    }
   },
   "footer": {
    "type": "object",
    "required": [
     "skipped"
    ],
    "properties": {
     "skipped": {
      "enum": [
       "signed",
       "encrypted",
       "structure",
       "encoding",
       "too_large",
       "html"
      ]
     }
    }
   },
   "template_id": {
    "type": "string"
   },
   "template_alias": {
    "type": "string"
   },
   "layout": {
    "type": "string"
   },
   "reply_to": {
    "type": "array",
    "items": {
     "type": "object",
     "required": [
      "email",
      "name"
     ],
     "properties": {
      "email": {
       "type": "string"
      },
      "name": {
       "anyOf": [
        {
         "type": "string"
        },
        {
         "type": "null"
        }
       ]
      }
     }
    }
   },
   "key": {
    "anyOf": [
     {
      "type": "object",
      "required": [
       "key_id",
       "name",
       "kind"
      ],
      "properties": {
       "key_id": {
        "type": "string"
       },
       "name": {
        "anyOf": [
         {
          "type": "string"
         },
         {
          "type": "null"
         }
        ]
       },
       "kind": {
        "enum": [
         "sending",
         "smtp",
         "management",
         "user"
        ]
       }
      }
     },
     {
      "type": "null"
     }
    ]
   },
   "resend_of": {
    "type": "string"
   },
   "events": {
    "type": "array",
    "items": {
     "type": "object",
     "required": [
      "id",
      "type",
      "at",
      "email",
      "detail"
     ],
     "properties": {
      "id": {
       "type": "string"
      },
      "type": {
       "enum": [
        "accepted",
        "scheduled",
        "sending",
        "delivered",
        "deferred",
        "bounced",
        "failed",
        "suppressed",
        "cancelled",
        "opened",
        "clicked",
        "complained",
        "unsubscribed",
        "received",
        "incident_opened",
        "incident_closed",
        "listed",
        "delisted",
        "report_received",
        "key_due",
        "key_switched"
       ]
      },
      "at": {
       "$ref": "#/$defs/Timestamp"
      },
      "email": {
       "type": "string"
      },
      "detail": {
       "type": "object",
       "properties": {},
       "additionalProperties": true
      }
     }
    }
   },
   "html": {
    "anyOf": [
     {
      "type": "string"
     },
     {
      "type": "null"
     }
    ]
   },
   "text": {
    "anyOf": [
     {
      "type": "string"
     },
     {
      "type": "null"
     }
    ]
   },
   "content_incomplete": {
    "type": "boolean"
   },
   "headers": {
    "type": "array",
    "items": {
     "type": "object",
     "required": [
      "name",
      "value"
     ],
     "properties": {
      "name": {
       "type": "string"
      },
      "value": {
       "type": "string"
      }
     }
    }
   },
   "raw_url": {
    "type": "string"
   }
  }
 },
 "EventList": {
  "type": "object",
  "required": [
   "data",
   "next_cursor"
  ],
  "properties": {
   "data": {
    "type": "array",
    "items": {
     "$ref": "#/$defs/Event"
    }
   },
   "next_cursor": {
    "anyOf": [
     {
      "type": "string"
     },
     {
      "type": "null"
     }
    ]
   }
  }
 },
 "Event": {
  "type": "object",
  "required": [
   "id",
   "type",
   "at",
   "message_id",
   "message_id_header",
   "email",
   "stream",
   "tag",
   "tags",
   "metadata",
   "attempt",
   "reply",
   "category",
   "detail"
  ],
  "properties": {
   "domain": {
    "type": "string"
   },
   "domain_id": {
    "type": "string"
   },
   "id": {
    "type": "string"
   },
   "type": {
    "enum": [
     "accepted",
     "scheduled",
     "sending",
     "delivered",
     "deferred",
     "bounced",
     "failed",
     "suppressed",
     "cancelled",
     "opened",
     "clicked",
     "complained",
     "unsubscribed",
     "received",
     "incident_opened",
     "incident_closed",
     "listed",
     "delisted",
     "report_received",
     "key_due",
     "key_switched"
    ]
   },
   "at": {
    "$ref": "#/$defs/Timestamp"
   },
   "message_id": {
    "anyOf": [
     {
      "type": "string"
     },
     {
      "type": "null"
     }
    ]
   },
   "message_id_header": {
    "anyOf": [
     {
      "type": "string"
     },
     {
      "type": "null"
     }
    ]
   },
   "email": {
    "anyOf": [
     {
      "type": "string"
     },
     {
      "type": "null"
     }
    ]
   },
   "stream": {
    "anyOf": [
     {
      "type": "string"
     },
     {
      "type": "null"
     }
    ]
   },
   "tag": {
    "anyOf": [
     {
      "type": "string"
     },
     {
      "type": "null"
     }
    ]
   },
   "tags": {
    "type": "array",
    "items": {
     "type": "string"
    }
   },
   "metadata": {
    "type": "object",
    "additionalProperties": {
     "type": "string"
    }
   },
   "attempt": {
    "anyOf": [
     {
      "type": "integer"
     },
     {
      "type": "null"
     }
    ]
   },
   "reply": {
    "anyOf": [
     {
      "type": "object",
      "required": [
       "smtp_code",
       "smtp_response",
       "mx"
      ],
      "properties": {
       "smtp_code": {
        "anyOf": [
         {
          "type": "integer"
         },
         {
          "type": "null"
         }
        ]
       },
       "smtp_response": {
        "anyOf": [
         {
          "type": "string"
         },
         {
          "type": "null"
         }
        ]
       },
       "mx": {
        "anyOf": [
         {
          "type": "string"
         },
         {
          "type": "null"
         }
        ]
       }
      }
     },
     {
      "type": "null"
     }
    ]
   },
   "category": {
    "anyOf": [
     {
      "type": "string"
     },
     {
      "type": "null"
     }
    ]
   },
   "test": {
    "type": "boolean",
    "enum": [
     true
    ]
   },
   "detail": {
    "type": "object",
    "properties": {},
    "additionalProperties": true
   }
  }
 },
 "Stats": {
  "type": "object",
  "required": [
   "by",
   "from",
   "to",
   "buckets",
   "totals",
   "bounced_by_category",
   "delivery_time_ms",
   "groups"
  ],
  "properties": {
   "by": {
    "enum": [
     "hour",
     "day"
    ]
   },
   "from": {
    "$ref": "#/$defs/Timestamp"
   },
   "to": {
    "$ref": "#/$defs/Timestamp"
   },
   "buckets": {
    "type": "array",
    "items": {
     "type": "object",
     "required": [
      "at",
      "accepted",
      "delivered",
      "deferred",
      "bounced",
      "failed",
      "suppressed",
      "cancelled",
      "complained",
      "unsubscribed",
      "opened",
      "clicked"
     ],
     "properties": {
      "at": {
       "$ref": "#/$defs/Timestamp"
      },
      "accepted": {
       "type": "integer"
      },
      "delivered": {
       "type": "integer"
      },
      "deferred": {
       "type": "integer"
      },
      "bounced": {
       "type": "integer"
      },
      "failed": {
       "type": "integer"
      },
      "suppressed": {
       "type": "integer"
      },
      "cancelled": {
       "type": "integer"
      },
      "complained": {
       "type": "integer"
      },
      "unsubscribed": {
       "type": "integer"
      },
      "opened": {
       "type": "integer"
      },
      "clicked": {
       "type": "integer"
      }
     }
    }
   },
   "totals": {
    "type": "object",
    "required": [
     "accepted",
     "delivered",
     "deferred",
     "bounced",
     "failed",
     "suppressed",
     "cancelled",
     "complained",
     "unsubscribed",
     "opened",
     "clicked"
    ],
    "properties": {
     "accepted": {
      "type": "integer"
     },
     "delivered": {
      "type": "integer"
     },
     "deferred": {
      "type": "integer"
     },
     "bounced": {
      "type": "integer"
     },
     "failed": {
      "type": "integer"
     },
     "suppressed": {
      "type": "integer"
     },
     "cancelled": {
      "type": "integer"
     },
     "complained": {
      "type": "integer"
     },
     "unsubscribed": {
      "type": "integer"
     },
     "opened": {
      "type": "integer"
     },
     "clicked": {
      "type": "integer"
     }
    }
   },
   "bounced_by_category": {
    "anyOf": [
     {
      "type": "object",
      "additionalProperties": {
       "type": "integer"
      }
     },
     {
      "type": "null"
     }
    ]
   },
   "delivery_time_ms": {
    "type": "object",
    "required": [
     "p50",
     "p95"
    ],
    "properties": {
     "p50": {
      "anyOf": [
       {
        "type": "integer"
       },
       {
        "type": "null"
       }
      ]
     },
     "p95": {
      "anyOf": [
       {
        "type": "integer"
       },
       {
        "type": "null"
       }
      ]
     }
    }
   },
   "groups": {
    "anyOf": [
     {
      "type": "array",
      "items": {
       "type": "object",
       "required": [
        "name",
        "accepted",
        "delivered",
        "deferred",
        "bounced",
        "failed",
        "suppressed",
        "cancelled",
        "complained",
        "unsubscribed",
        "opened",
        "clicked",
        "delivery_time_ms"
       ],
       "properties": {
        "name": {
         "anyOf": [
          {
           "type": "string"
          },
          {
           "type": "null"
          }
         ]
        },
        "accepted": {
         "type": "integer"
        },
        "delivered": {
         "type": "integer"
        },
        "deferred": {
         "type": "integer"
        },
        "bounced": {
         "type": "integer"
        },
        "failed": {
         "type": "integer"
        },
        "suppressed": {
         "type": "integer"
        },
        "cancelled": {
         "type": "integer"
        },
        "complained": {
         "type": "integer"
        },
        "unsubscribed": {
         "type": "integer"
        },
        "opened": {
         "type": "integer"
        },
        "clicked": {
         "type": "integer"
        },
        "delivery_time_ms": {
         "type": "object",
         "required": [
          "p50",
          "p95"
         ],
         "properties": {
          "p50": {
           "anyOf": [
            {
             "type": "integer"
            },
            {
             "type": "null"
            }
           ]
          },
          "p95": {
           "anyOf": [
            {
             "type": "integer"
            },
            {
             "type": "null"
            }
           ]
          }
         }
        }
       }
      }
     },
     {
      "type": "null"
     }
    ]
   }
  }
 },
 "Usage": {
  "type": "object",
  "required": [
   "data",
   "limits",
   "left"
  ],
  "properties": {
   "data": {
    "type": "array",
    "items": {
     "type": "object",
     "required": [
      "from",
      "to",
      "accepted",
      "delivered",
      "bounced",
      "complained",
      "stored_bytes",
      "verified"
     ],
     "properties": {
      "from": {
       "$ref": "#/$defs/Timestamp"
      },
      "to": {
       "$ref": "#/$defs/Timestamp"
      },
      "domain": {
       "type": "string"
      },
      "domain_id": {
       "type": "string"
      },
      "stream": {
       "type": "string"
      },
      "accepted": {
       "type": "integer"
      },
      "delivered": {
       "type": "integer"
      },
      "bounced": {
       "type": "integer"
      },
      "complained": {
       "type": "integer"
      },
      "stored_bytes": {
       "anyOf": [
        {
         "type": "integer"
        },
        {
         "type": "null"
        }
       ]
      },
      "verified": {
       "anyOf": [
        {
         "type": "integer"
        },
        {
         "type": "null"
        }
       ]
      }
     }
    }
   },
   "limits": {
    "type": "object",
    "required": [
     "sending_allowance",
     "stored_bytes",
     "domains",
     "keys"
    ],
    "properties": {
     "sending_allowance": {
      "anyOf": [
       {
        "type": "integer"
       },
       {
        "type": "null"
       }
      ]
     },
     "stored_bytes": {
      "anyOf": [
       {
        "type": "integer"
       },
       {
        "type": "null"
       }
      ]
     },
     "domains": {
      "type": "integer"
     },
     "keys": {
      "type": "integer"
     }
    }
   },
   "left": {
    "type": "object",
    "required": [
     "sending_allowance",
     "stored_bytes",
     "domains",
     "keys",
     "verification_credits"
    ],
    "properties": {
     "sending_allowance": {
      "anyOf": [
       {
        "type": "integer"
       },
       {
        "type": "null"
       }
      ]
     },
     "stored_bytes": {
      "anyOf": [
       {
        "type": "integer"
       },
       {
        "type": "null"
       }
      ]
     },
     "domains": {
      "type": "integer"
     },
     "keys": {
      "type": "integer"
     },
     "verification_credits": {
      "type": "integer"
     }
    }
   }
  }
 },
 "DomainList": {
  "type": "object",
  "required": [
   "data",
   "next_cursor"
  ],
  "properties": {
   "data": {
    "type": "array",
    "items": {
     "$ref": "#/$defs/DomainSummary"
    }
   },
   "next_cursor": {
    "anyOf": [
     {
      "type": "string"
     },
     {
      "type": "null"
     }
    ]
   }
  }
 },
 "DomainSummary": {
  "type": "object",
  "required": [
   "domain_id",
   "domain",
   "domain_unicode",
   "status",
   "flagged_at",
   "closes_at",
   "checked_at",
   "verified_at",
   "created_at"
  ],
  "properties": {
   "domain_id": {
    "type": "string"
   },
   "domain": {
    "type": "string"
   },
   "domain_unicode": {
    "type": "string"
   },
   "status": {
    "enum": [
     "pending",
     "verified",
     "paused"
    ]
   },
   "flagged_at": {
    "anyOf": [
     {
      "$ref": "#/$defs/Timestamp"
     },
     {
      "type": "null"
     }
    ]
   },
   "closes_at": {
    "anyOf": [
     {
      "$ref": "#/$defs/Timestamp"
     },
     {
      "type": "null"
     }
    ]
   },
   "checked_at": {
    "anyOf": [
     {
      "$ref": "#/$defs/Timestamp"
     },
     {
      "type": "null"
     }
    ]
   },
   "verified_at": {
    "anyOf": [
     {
      "$ref": "#/$defs/Timestamp"
     },
     {
      "type": "null"
     }
    ]
   },
   "created_at": {
    "$ref": "#/$defs/Timestamp"
   }
  }
 },
 "Domain": {
  "type": "object",
  "required": [
   "domain_id",
   "domain",
   "domain_unicode",
   "status",
   "flagged_at",
   "closes_at",
   "checked_at",
   "verified_at",
   "created_at",
   "content_retention_days",
   "transcript_retention_days",
   "record_retention_days",
   "installation_retention_days",
   "track_opens",
   "track_links",
   "cfbl",
   "rotate_every_days",
   "mta_sts",
   "mta_sts_since",
   "guard",
   "ignore",
   "mailbox_provider",
   "records",
   "bimi",
   "ready",
   "dkim",
   "events"
  ],
  "properties": {
   "domain_id": {
    "type": "string"
   },
   "domain": {
    "type": "string"
   },
   "domain_unicode": {
    "type": "string"
   },
   "status": {
    "enum": [
     "pending",
     "verified",
     "paused"
    ]
   },
   "flagged_at": {
    "anyOf": [
     {
      "$ref": "#/$defs/Timestamp"
     },
     {
      "type": "null"
     }
    ]
   },
   "closes_at": {
    "anyOf": [
     {
      "$ref": "#/$defs/Timestamp"
     },
     {
      "type": "null"
     }
    ]
   },
   "checked_at": {
    "anyOf": [
     {
      "$ref": "#/$defs/Timestamp"
     },
     {
      "type": "null"
     }
    ]
   },
   "verified_at": {
    "anyOf": [
     {
      "$ref": "#/$defs/Timestamp"
     },
     {
      "type": "null"
     }
    ]
   },
   "created_at": {
    "$ref": "#/$defs/Timestamp"
   },
   "content_retention_days": {
    "anyOf": [
     {
      "type": "integer",
      "minimum": 1,
      "maximum": 36500
     },
     {
      "type": "null"
     }
    ]
   },
   "transcript_retention_days": {
    "anyOf": [
     {
      "type": "integer",
      "minimum": 1,
      "maximum": 36500
     },
     {
      "type": "null"
     }
    ]
   },
   "record_retention_days": {
    "anyOf": [
     {
      "type": "integer",
      "minimum": 1,
      "maximum": 36500
     },
     {
      "type": "null"
     }
    ]
   },
   "installation_retention_days": {
    "type": "object",
    "required": [
     "content_retention_days",
     "transcript_retention_days",
     "record_retention_days"
    ],
    "properties": {
     "content_retention_days": {
      "type": "number"
     },
     "transcript_retention_days": {
      "type": "number"
     },
     "record_retention_days": {
      "type": "number"
     }
    }
   },
   "track_opens": {
    "type": "boolean"
   },
   "track_links": {
    "type": "boolean"
   },
   "cfbl": {
    "type": "boolean"
   },
   "rotate_every_days": {
    "anyOf": [
     {
      "type": "integer"
     },
     {
      "type": "null"
     }
    ]
   },
   "mta_sts": {
    "enum": [
     "off",
     "testing",
     "enforce",
     "none"
    ]
   },
   "mta_sts_since": {
    "anyOf": [
     {
      "$ref": "#/$defs/Timestamp"
     },
     {
      "type": "null"
     }
    ]
   },
   "guard": {
    "enum": [
     "off",
     "warn",
     "refuse"
    ]
   },
   "ignore": {
    "type": "array",
    "items": {
     "enum": [
      "link_local",
      "link_invalid",
      "link_placeholder",
      "link_dead",
      "placeholder",
      "secret",
      "from_disguised",
      "not_aligned",
      "recipient_dead",
      "recipient_suppressed",
      "subject_empty",
      "unsubscribe_missing",
      "message_large",
      "clipped",
      "css_unsupported",
      "html_unsupported",
      "link_insecure",
      "link_mismatch",
      "link_shortener",
      "image_weight",
      "image_only",
      "image_data",
      "text_missing",
      "text_differs",
      "dmarc_missing",
      "recipient_misspelt",
      "spam_rule",
      "image_alt",
      "subject_long",
      "address_missing",
      "recipient_role"
     ]
    },
    "maxItems": 31
   },
   "claim": {
    "type": "object",
    "required": [
     "record"
    ],
    "properties": {
     "record": {
      "$ref": "#/$defs/DomainRecord"
     }
    }
   },
   "mailbox_provider": {
    "type": "boolean"
   },
   "records": {
    "type": "array",
    "items": {
     "$ref": "#/$defs/DomainRecord"
    }
   },
   "bimi": {
    "anyOf": [
     {
      "type": "object",
      "required": [
       "status",
       "name",
       "record",
       "logo_url",
       "certificate_url",
       "logo_checked_at",
       "findings"
      ],
      "properties": {
       "status": {
        "enum": [
         "passed",
         "failed",
         "declined"
        ]
       },
       "name": {
        "type": "string"
       },
       "record": {
        "type": "string"
       },
       "logo_url": {
        "anyOf": [
         {
          "type": "string"
         },
         {
          "type": "null"
         }
        ]
       },
       "certificate_url": {
        "anyOf": [
         {
          "type": "string"
         },
         {
          "type": "null"
         }
        ]
       },
       "logo_checked_at": {
        "anyOf": [
         {
          "$ref": "#/$defs/Timestamp"
         },
         {
          "type": "null"
         }
        ]
       },
       "findings": {
        "type": "array",
        "items": {
         "type": "object",
         "required": [
          "code",
          "severity",
          "message"
         ],
         "properties": {
          "code": {
           "enum": [
            "record_several",
            "record_invalid",
            "dmarc_missing",
            "dmarc_policy",
            "logo_url",
            "logo_unreachable",
            "logo_type",
            "logo_too_large",
            "logo_not_svg",
            "logo_profile",
            "logo_title",
            "logo_not_square",
            "logo_script",
            "logo_external",
            "certificate_url",
            "certificate_missing"
           ]
          },
          "severity": {
           "enum": [
            "error",
            "hint"
           ]
          },
          "message": {
           "type": "string"
          }
         }
        }
       }
      }
     },
     {
      "type": "null"
     }
    ]
   },
   "ready": {
    "type": "object",
    "required": [
     "transactional",
     "broadcast",
     "reasons"
    ],
    "properties": {
     "transactional": {
      "type": "boolean"
     },
     "broadcast": {
      "type": "boolean"
     },
     "reasons": {
      "type": "array",
      "items": {
       "type": "object",
       "required": [
        "code",
        "message",
        "stops"
       ],
       "properties": {
        "code": {
         "enum": [
          "account_suspended",
          "paused",
          "claim_missing",
          "records_missing",
          "not_verified",
          "dmarc_missing"
         ]
        },
        "message": {
         "type": "string"
        },
        "stops": {
         "type": "array",
         "items": {
          "enum": [
           "transactional",
           "broadcast"
          ]
         }
        }
       }
      }
     }
    }
   },
   "dkim": {
    "type": "object",
    "required": [
     "selectors",
     "next_step",
     "rotates_at",
     "switches_at"
    ],
    "properties": {
     "selectors": {
      "type": "object",
      "required": [
       "rsa",
       "ed25519"
      ],
      "properties": {
       "rsa": {
        "anyOf": [
         {
          "type": "string"
         },
         {
          "type": "null"
         }
        ]
       },
       "ed25519": {
        "anyOf": [
         {
          "type": "string"
         },
         {
          "type": "null"
         }
        ]
       }
      }
     },
     "next_step": {
      "enum": [
       "rotate",
       "switch",
       "retire"
      ]
     },
     "rotates_at": {
      "anyOf": [
       {
        "$ref": "#/$defs/Timestamp"
       },
       {
        "type": "null"
       }
      ]
     },
     "switches_at": {
      "anyOf": [
       {
        "$ref": "#/$defs/Timestamp"
       },
       {
        "type": "null"
       }
      ]
     }
    }
   },
   "events": {
    "type": "array",
    "items": {
     "type": "object",
     "required": [
      "type",
      "at"
     ],
     "properties": {
      "type": {
       "type": "string"
      },
      "at": {
       "$ref": "#/$defs/Timestamp"
      }
     }
    }
   }
  }
 },
 "DomainRecord": {
  "type": "object",
  "required": [
   "purpose",
   "type",
   "name",
   "host",
   "value",
   "required",
   "status",
   "found",
   "advice"
  ],
  "properties": {
   "purpose": {
    "enum": [
     "dkim_rsa",
     "dkim_ed25519",
     "return_path",
     "dmarc",
     "tracking",
     "dkim_rsa_next",
     "dkim_ed25519_next",
     "dkim_rsa_old",
     "dkim_ed25519_old",
     "inbound_mx",
     "mta_sts_host",
     "mta_sts",
     "tls_report",
     "claim"
    ]
   },
   "type": {
    "enum": [
     "TXT",
     "CNAME",
     "MX"
    ]
   },
   "name": {
    "type": "string"
   },
   "host": {
    "type": "string"
   },
   "value": {
    "type": "string"
   },
   "required": {
    "type": "boolean"
   },
   "status": {
    "enum": [
     "pending",
     "found",
     "mismatch",
     "missing"
    ]
   },
   "found": {
    "type": "array",
    "items": {
     "type": "string"
    }
   },
   "advice": {
    "type": "string"
   }
  }
 },
 "TemplateList": {
  "type": "object",
  "required": [
   "data",
   "next_cursor"
  ],
  "properties": {
   "data": {
    "type": "array",
    "items": {
     "type": "object",
     "required": [
      "template_id",
      "alias",
      "name",
      "subject",
      "layout",
      "version",
      "created_at",
      "updated_at"
     ],
     "properties": {
      "template_id": {
       "type": "string"
      },
      "alias": {
       "anyOf": [
        {
         "type": "string"
        },
        {
         "type": "null"
        }
       ]
      },
      "name": {
       "type": "string"
      },
      "subject": {
       "anyOf": [
        {
         "type": "string"
        },
        {
         "type": "null"
        }
       ]
      },
      "layout": {
       "anyOf": [
        {
         "type": "string"
        },
        {
         "type": "null"
        }
       ]
      },
      "domain": {
       "type": "string"
      },
      "domain_id": {
       "type": "string"
      },
      "version": {
       "type": "integer"
      },
      "created_at": {
       "$ref": "#/$defs/Timestamp"
      },
      "updated_at": {
       "$ref": "#/$defs/Timestamp"
      }
     }
    }
   },
   "next_cursor": {
    "anyOf": [
     {
      "type": "string"
     },
     {
      "type": "null"
     }
    ]
   }
  }
 },
 "Template": {
  "type": "object",
  "required": [
   "template_id",
   "alias",
   "name",
   "subject",
   "layout",
   "html",
   "text",
   "required",
   "inline_css",
   "sample_model",
   "version",
   "created_at",
   "updated_at"
  ],
  "properties": {
   "template_id": {
    "type": "string"
   },
   "alias": {
    "anyOf": [
     {
      "type": "string"
     },
     {
      "type": "null"
     }
    ]
   },
   "name": {
    "type": "string"
   },
   "subject": {
    "anyOf": [
     {
      "type": "string"
     },
     {
      "type": "null"
     }
    ]
   },
   "layout": {
    "anyOf": [
     {
      "type": "string"
     },
     {
      "type": "null"
     }
    ]
   },
   "html": {
    "anyOf": [
     {
      "type": "string"
     },
     {
      "type": "null"
     }
    ]
   },
   "text": {
    "anyOf": [
     {
      "type": "string"
     },
     {
      "type": "null"
     }
    ]
   },
   "required": {
    "type": "array",
    "items": {
     "type": "string"
    }
   },
   "inline_css": {
    "type": "boolean"
   },
   "sample_model": {
    "anyOf": [
     {
      "type": "object",
      "properties": {},
      "additionalProperties": true
     },
     {
      "type": "null"
     }
    ]
   },
   "domain": {
    "type": "string"
   },
   "domain_id": {
    "type": "string"
   },
   "version": {
    "type": "integer"
   },
   "created_at": {
    "$ref": "#/$defs/Timestamp"
   },
   "updated_at": {
    "$ref": "#/$defs/Timestamp"
   }
  }
 },
 "Rendered": {
  "type": "object",
  "required": [
   "subject",
   "html",
   "text",
   "suggested_template_model"
  ],
  "properties": {
   "subject": {
    "anyOf": [
     {
      "type": "string"
     },
     {
      "type": "null"
     }
    ]
   },
   "html": {
    "anyOf": [
     {
      "type": "string"
     },
     {
      "type": "null"
     }
    ]
   },
   "text": {
    "anyOf": [
     {
      "type": "string"
     },
     {
      "type": "null"
     }
    ]
   },
   "suggested_template_model": {
    "type": "object",
    "properties": {},
    "additionalProperties": true
   }
  }
 },
 "WebhookList": {
  "type": "object",
  "required": [
   "data",
   "next_cursor"
  ],
  "properties": {
   "data": {
    "type": "array",
    "items": {
     "$ref": "#/$defs/Webhook"
    }
   },
   "next_cursor": {
    "anyOf": [
     {
      "type": "string"
     },
     {
      "type": "null"
     }
    ]
   }
  }
 },
 "Webhook": {
  "type": "object",
  "required": [
   "webhook_id",
   "name",
   "url",
   "batch_size",
   "basic_auth_username",
   "enabled",
   "disabled_reason",
   "disabled_at",
   "failing_since",
   "replaying",
   "public_key",
   "secrets",
   "created_at",
   "updated_at",
   "format",
   "event_types",
   "test_events",
   "streams",
   "tags"
  ],
  "properties": {
   "domain": {
    "type": "string"
   },
   "domain_id": {
    "type": "string"
   },
   "webhook_id": {
    "type": "string"
   },
   "name": {
    "type": "string"
   },
   "url": {
    "type": "string"
   },
   "batch_size": {
    "type": "integer"
   },
   "basic_auth_username": {
    "anyOf": [
     {
      "type": "string"
     },
     {
      "type": "null"
     }
    ]
   },
   "enabled": {
    "type": "boolean"
   },
   "disabled_reason": {
    "anyOf": [
     {
      "enum": [
       "manual",
       "gone",
       "failing"
      ]
     },
     {
      "type": "null"
     }
    ]
   },
   "disabled_at": {
    "anyOf": [
     {
      "$ref": "#/$defs/Timestamp"
     },
     {
      "type": "null"
     }
    ]
   },
   "failing_since": {
    "anyOf": [
     {
      "$ref": "#/$defs/Timestamp"
     },
     {
      "type": "null"
     }
    ]
   },
   "replaying": {
    "type": "boolean"
   },
   "public_key": {
    "type": "string"
   },
   "secrets": {
    "type": "array",
    "items": {
     "type": "object",
     "required": [
      "created_at",
      "expires_at"
     ],
     "properties": {
      "created_at": {
       "$ref": "#/$defs/Timestamp"
      },
      "expires_at": {
       "anyOf": [
        {
         "$ref": "#/$defs/Timestamp"
        },
        {
         "type": "null"
        }
       ]
      }
     }
    }
   },
   "created_at": {
    "$ref": "#/$defs/Timestamp"
   },
   "updated_at": {
    "$ref": "#/$defs/Timestamp"
   },
   "format": {
    "enum": [
     "standard",
     "postmark",
     "sendgrid",
     "mailgun",
     "resend",
     "postal",
     "usesend"
    ]
   },
   "event_types": {
    "type": "array",
    "items": {
     "enum": [
      "accepted",
      "scheduled",
      "sending",
      "delivered",
      "deferred",
      "bounced",
      "failed",
      "suppressed",
      "cancelled",
      "opened",
      "clicked",
      "complained",
      "unsubscribed",
      "received",
      "incident_opened",
      "incident_closed",
      "listed",
      "delisted",
      "report_received",
      "key_due",
      "key_switched"
     ]
    }
   },
   "test_events": {
    "type": "boolean"
   },
   "streams": {
    "type": "array",
    "items": {
     "type": "string"
    }
   },
   "tags": {
    "type": "array",
    "items": {
     "type": "string"
    }
   }
  }
 },
 "WebhookDeliveryList": {
  "type": "object",
  "required": [
   "data",
   "next_cursor"
  ],
  "properties": {
   "data": {
    "type": "array",
    "items": {
     "$ref": "#/$defs/WebhookDelivery"
    }
   },
   "next_cursor": {
    "anyOf": [
     {
      "type": "string"
     },
     {
      "type": "null"
     }
    ]
   }
  }
 },
 "WebhookDelivery": {
  "type": "object",
  "required": [
   "delivery_id",
   "status",
   "event_id",
   "events",
   "test",
   "attempt_count",
   "next_attempt_at",
   "attempts",
   "created_at",
   "event_type",
   "message_id",
   "email"
  ],
  "properties": {
   "delivery_id": {
    "type": "string"
   },
   "status": {
    "enum": [
     "pending",
     "delivered",
     "failed"
    ]
   },
   "event_id": {
    "type": "string"
   },
   "events": {
    "type": "integer"
   },
   "test": {
    "type": "boolean"
   },
   "attempt_count": {
    "type": "integer"
   },
   "next_attempt_at": {
    "anyOf": [
     {
      "$ref": "#/$defs/Timestamp"
     },
     {
      "type": "null"
     }
    ]
   },
   "attempts": {
    "type": "array",
    "items": {
     "$ref": "#/$defs/WebhookAttempt"
    }
   },
   "created_at": {
    "$ref": "#/$defs/Timestamp"
   },
   "event_type": {
    "enum": [
     "accepted",
     "scheduled",
     "sending",
     "delivered",
     "deferred",
     "bounced",
     "failed",
     "suppressed",
     "cancelled",
     "opened",
     "clicked",
     "complained",
     "unsubscribed",
     "received",
     "incident_opened",
     "incident_closed",
     "listed",
     "delisted",
     "report_received",
     "key_due",
     "key_switched"
    ]
   },
   "message_id": {
    "type": "string"
   },
   "email": {
    "anyOf": [
     {
      "type": "string"
     },
     {
      "type": "null"
     }
    ]
   }
  }
 },
 "WebhookAttempt": {
  "type": "object",
  "required": [
   "at",
   "status",
   "problem",
   "latency_ms",
   "answer"
  ],
  "properties": {
   "at": {
    "$ref": "#/$defs/Timestamp"
   },
   "status": {
    "anyOf": [
     {
      "type": "integer"
     },
     {
      "type": "null"
     }
    ]
   },
   "problem": {
    "anyOf": [
     {
      "type": "string"
     },
     {
      "type": "null"
     }
    ]
   },
   "latency_ms": {
    "type": "integer"
   },
   "answer": {
    "type": "string"
   }
  }
 },
 "Queue": {
  "type": "object",
  "required": [
   "data",
   "paused",
   "next_cursor"
  ],
  "properties": {
   "data": {
    "type": "array",
    "items": {
     "type": "object",
     "required": [
      "destination",
      "recipients",
      "in_attempt",
      "held",
      "oldest_message_id",
      "oldest_at",
      "next_attempt_at",
      "paused",
      "last_reply"
     ],
     "properties": {
      "destination": {
       "type": "string"
      },
      "recipients": {
       "type": "integer"
      },
      "in_attempt": {
       "type": "integer"
      },
      "held": {
       "type": "integer"
      },
      "oldest_message_id": {
       "type": "string"
      },
      "oldest_at": {
       "type": "string",
       "format": "date-time"
      },
      "next_attempt_at": {
       "anyOf": [
        {
         "$ref": "#/$defs/Timestamp"
        },
        {
         "type": "null"
        }
       ]
      },
      "paused": {
       "type": "boolean"
      },
      "last_reply": {
       "anyOf": [
        {
         "type": "object",
         "required": [
          "message_id",
          "at",
          "smtp_code",
          "smtp_response",
          "mx"
         ],
         "properties": {
          "message_id": {
           "type": "string"
          },
          "at": {
           "$ref": "#/$defs/Timestamp"
          },
          "smtp_code": {
           "anyOf": [
            {
             "type": "integer"
            },
            {
             "type": "null"
            }
           ]
          },
          "smtp_response": {
           "anyOf": [
            {
             "type": "string"
            },
            {
             "type": "null"
            }
           ]
          },
          "mx": {
           "anyOf": [
            {
             "type": "string"
            },
            {
             "type": "null"
            }
           ]
          }
         }
        },
        {
         "type": "null"
        }
       ]
      }
     }
    }
   },
   "paused": {
    "type": "array",
    "items": {
     "type": "object",
     "required": [
      "kind",
      "value",
      "created_at",
      "note"
     ],
     "properties": {
      "kind": {
       "enum": [
        "destination",
        "stream",
        "domain",
        "restored"
       ]
      },
      "value": {
       "type": "string"
      },
      "created_at": {
       "$ref": "#/$defs/Timestamp"
      },
      "note": {
       "anyOf": [
        {
         "type": "string"
        },
        {
         "type": "null"
        }
       ]
      }
     }
    }
   },
   "next_cursor": {
    "anyOf": [
     {
      "type": "string"
     },
     {
      "type": "null"
     }
    ]
   }
  }
 },
 "DetailedVerification": {
  "type": "object",
  "required": [
   "email",
   "result",
   "internalResult",
   "latencyMs"
  ],
  "properties": {
   "email": {
    "type": "string"
   },
   "result": {
    "enum": [
     "deliverable",
     "undeliverable",
     "risky",
     "unknown"
    ]
   },
   "internalResult": {
    "enum": [
     "mailbox_exists",
     "invalid_syntax",
     "domain_not_found",
     "no_mail_server",
     "null_mx",
     "mailbox_not_found",
     "mailbox_disabled",
     "catch_all",
     "catch_all_unknown",
     "disposable",
     "mailbox_full",
     "suppressed",
     "dns_error",
     "connect_failed",
     "timeout",
     "greylisted",
     "blocked",
     "smtp_error"
    ]
   },
   "mxServer": {
    "type": "string"
   },
   "mxServerIp": {
    "type": "string"
   },
   "esp": {
    "type": "string"
   },
   "account": {
    "type": "string"
   },
   "tag": {
    "type": "string"
   },
   "isRole": {
    "type": "boolean"
   },
   "isFree": {
    "type": "boolean"
   },
   "isNoReply": {
    "type": "boolean"
   },
   "smtpCode": {
    "type": "integer"
   },
   "catchAll": {
    "type": "boolean"
   },
   "didYouMean": {
    "type": "string"
   },
   "latencyMs": {
    "type": "integer"
   }
  }
 },
 "SuppressionsAdded": {
  "type": "object",
  "required": [
   "added",
   "existing",
   "rejected",
   "problems"
  ],
  "properties": {
   "added": {
    "type": "integer"
   },
   "existing": {
    "type": "integer"
   },
   "rejected": {
    "type": "integer"
   },
   "problems": {
    "type": "array",
    "items": {
     "type": "object",
     "required": [
      "path",
      "code",
      "message"
     ],
     "properties": {
      "path": {
       "type": "string"
      },
      "code": {
       "type": "string"
      },
      "message": {
       "type": "string"
      },
      "line": {
       "type": "integer"
      }
     }
    }
   }
  }
 },
 "RetryAnswer": {
  "type": "object",
  "required": [
   "recipients"
  ],
  "properties": {
   "domain": {
    "type": "string"
   },
   "domain_id": {
    "type": "string"
   },
   "recipients": {
    "type": "integer"
   }
  }
 },
 "Mailbox": {
  "type": "object",
  "required": [
   "email"
  ],
  "properties": {
   "email": {
    "type": "string"
   },
   "name": {
    "type": "string",
    "maxLength": 998
   }
  },
  "additionalProperties": false
 },
 "Attachment": {
  "type": "object",
  "required": [
   "filename"
  ],
  "properties": {
   "filename": {
    "type": "string",
    "minLength": 1
   },
   "content": {
    "type": "string"
   },
   "url": {
    "type": "string",
    "minLength": 1,
    "maxLength": 2000
   },
   "content_type": {
    "type": "string"
   },
   "content_id": {
    "type": "string"
   }
  },
  "additionalProperties": false
 },
 "SendAnswer": {
  "type": "object",
  "required": [
   "message_id",
   "status"
  ],
  "properties": {
   "message_id": {
    "type": "string"
   },
   "status": {
    "enum": [
     "queued",
     "scheduled"
    ]
   },
   "warnings": {
    "type": "array",
    "items": {
     "$ref": "#/$defs/Warning"
    }
   }
  }
 }
}
