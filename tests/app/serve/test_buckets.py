"""How often somebody may ask: each caller has a bucket, which fills up again."""

from folkmoot.app.serve.request_guard import RateLimiter


def test_a_bucket_fills_up_again_and_there_are_only_so_many() -> None:
    now = [0.0]
    buckets = RateLimiter(60, clock=lambda: now[0])
    assert [buckets.take("a") for _ in range(60)] == [0.0] * 60
    assert buckets.take("a") == 1.0
    now[0] += 1
    assert buckets.take("a") == 0.0
    for n in range(20_000):
        buckets.take(str(n))
    assert len(buckets._filled) == 10_000  # pyright: ignore[reportPrivateUsage]
