from tests.on_devices import device_fixture

device = device_fixture(little_time=False)
