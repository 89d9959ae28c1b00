// What Kratos sends to hook.mjs. Change the names of traits to those of your identity schema.
function(ctx)
  local traits = ctx.identity.traits;
  local header(name) =
    if std.objectHas(ctx.request_headers, name) then ctx.request_headers[name][0] else null;
  {
    event: if std.objectHas(ctx, 'session') then 'login' else 'sign-up',
    identity:
      if std.objectHas(traits, 'email') then traits.email
      else if std.objectHas(traits, 'phone') then traits.phone
      else null,
    account_id: ctx.identity.id,
    user_agent: header('User-Agent'),
    // Set by a proxy that is yours, if any: whoever can reach Kratos directly can write it.
    ip: header('True-Client-Ip'),
  }
