-- Sends the bodies of a file, one a line, in turn, and prints the figures as one line of JSON.
-- Requests are put together before the first is sent, so that the generator costs the machine little.

function init(args)
  requests = {}
  for line in io.lines(args[1]) do
    requests[#requests + 1] = wrk.format("POST", nil, nil, line)
  end
  sent = 0
end

function request()
  sent = sent + 1
  return requests[(sent - 1) % #requests + 1]
end

function done(summary, latency)
  local errors = summary.errors
  print(string.format(
    '\nFIGURES {"requests":%d,"seconds":%.6f,"p50Ms":%.4f,"p95Ms":%.4f,"p99Ms":%.4f,"refused":%d,"broken":%d}',
    summary.requests,
    summary.duration / 1e6,
    latency:percentile(50) / 1e3,
    latency:percentile(95) / 1e3,
    latency:percentile(99) / 1e3,
    errors.status,
    errors.connect + errors.read + errors.write + errors.timeout
  ))
end
